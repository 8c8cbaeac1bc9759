"""What is open on the forge of a repository, or why that could not be read; a plan is made either way."""

import threading
from concurrent.futures import Future

from reknit.adapters.git.user_repository import UserRepository
from reknit.adapters.github.api.failures import ApiRefusal
from reknit.adapters.settled_future import settle
from reknit.app.config.load import Config
from reknit.app.installation import Installation
from reknit.app.makers import forge_maker
from reknit.app.pulls.remotes import forge_places, forge_problem
from reknit.core.errors import ReknitError
from reknit.core.forge.open_work import OpenWork
from reknit.core.forge.values import ForgeError, ForgePlace
from reknit.core.repository.remote_url import place_of
from reknit.core.text.format import words

_LONGEST_S = 20.0
_Read = tuple[OpenWork, bool, str]


def open_work_of(place: Installation, repository: UserRepository, config: Config) -> _Read:
    """What is open, whether a login works, and why it was not read: empty if it was, or without a remote on a forge.

    At most four requests: an App's token, two pages, and the red checks.
    """
    try:
        if not config.forge.remote and not any(place_of(url) for _name, url in repository.remotes()):
            return OpenWork(), False, ""
        where = forge_places(repository, config)[0]
    except ReknitError as problem:
        return OpenWork(), False, words(problem.what)
    future: Future[_Read] = Future()
    # A forge may send a byte now and then, which no limit of a single read ends. Not a pool thread: the interpreter
    # waits for those when it exits.
    work = threading.Thread(
        target=settle, args=(future, lambda: _asked(place, where)), name="reknit-open-work", daemon=True
    )
    work.start()
    try:
        return future.result(_LONGEST_S)
    except TimeoutError:
        return OpenWork(), False, words(f"{where.api} did not answer within {_LONGEST_S:.0f} s")


def _asked(place: Installation, where: ForgePlace) -> _Read:
    try:
        return forge_maker(place.environment)(where).open_work(), True, ""
    except ReknitError as problem:
        return OpenWork(), False, words(problem.what)
    except ForgeError as hindered:
        # Only what GraphQL itself refuses is told to a login that works: a proxy has statuses of its own.
        knows_us = hindered.failure.kind in ("missing", "forbidden", "limited") and not isinstance(hindered, ApiRefusal)
        return OpenWork(), knows_us, words(forge_problem(hindered.failure, where).what)
