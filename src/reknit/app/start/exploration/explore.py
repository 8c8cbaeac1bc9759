"""Explores a repository without a model, and fetches the open work on its forge.

No code of the repository runs, and the same commit and date give the same value.
"""

import threading
from concurrent.futures import Future
from datetime import date
from pathlib import Path

from reknit.adapters.files.regular_files import read_first_bytes
from reknit.adapters.git.review_range import branch_changes, default_branch, last_commits
from reknit.adapters.git.user_repository import MAX_DIRTY, UserRepository
from reknit.adapters.github.api.failures import ApiRefusalError
from reknit.adapters.settled_future import settle
from reknit.app.config.load import Config, load
from reknit.app.installation import Installation
from reknit.app.makers import make_forge_maker
from reknit.app.pulls.remotes import forge_problem, list_forge_places
from reknit.app.start.exploration.inventory import PartExplorer, TrackedFiles, explore_tracked_files, take_inventory
from reknit.core.errors import ReknitError, rebuild_error
from reknit.core.forge.values import ForgeError, ForgePlace, OpenWork
from reknit.core.planning.context import Doc, RepoContext
from reknit.core.planning.exploration.docs import find_stale, find_state_age_days, read_doc
from reknit.core.planning.exploration.git_output import parse_log, parse_numstat
from reknit.core.planning.plan_file.index import find_references
from reknit.core.planning.plan_file.plan import INDEX
from reknit.core.repository.remote_url import parse_remote
from reknit.core.text.format import sanitize_line

_MAX_WAIT_S = 20.0
_Read = tuple[OpenWork, bool, str]


def fetch_open_work(installation: Installation, repository: UserRepository, config: Config) -> _Read:
    """Return the open work, whether a login works, and why the work was not read.

    The reason is empty if it was read, or without a remote on a forge. This makes at most four requests: an App's
    token, two pages, and the red checks.
    """
    try:
        if not config.forge.remote and not any(parse_remote(url) for _name, url in repository.remotes()):
            return OpenWork(), False, ""
        forge_place = list_forge_places(repository, config)[0]
    except ReknitError as problem:
        return OpenWork(), False, sanitize_line(problem.message)
    future: Future[_Read] = Future()
    # A forge may send a byte now and then, which no limit of a single read ends. Not a pool thread: the interpreter
    # waits for those when it exits.
    work = threading.Thread(
        target=settle,
        args=(future, lambda: _ask_forge(installation, forge_place)),
        name="reknit-open-work",
        daemon=True,
    )
    work.start()
    try:
        return future.result(_MAX_WAIT_S)
    except TimeoutError:
        return OpenWork(), False, sanitize_line(f"{forge_place.api} did not answer within {_MAX_WAIT_S:.0f} s")


def _ask_forge(installation: Installation, forge_place: ForgePlace) -> _Read:
    try:
        return make_forge_maker(installation.environment)(forge_place).open_work(), True, ""
    except ReknitError as problem:
        return OpenWork(), False, sanitize_line(problem.message)
    except ForgeError as error:
        # Only GraphQL errors prove that the login works: a proxy may return its own status codes.
        knows_us = error.failure.kind in ("missing", "forbidden", "limited") and not isinstance(error, ApiRefusalError)
        return OpenWork(), knows_us, sanitize_line(forge_problem(error.failure, forge_place).message)


STAGE = "exploration"
OWN = ".reknit/"
NO_SETTINGS = "it was not asked, because the settings cannot be read"
_INDEX_BYTES = 64 * 1024


def explore(installation: Installation, folder: Path, as_of: date) -> RepoContext:
    """Explore the repository.

    Raise only if there is no git, no repository or no commit; any other part that fails is empty, with a reason.
    """
    repository = _find_repository(folder)
    root, parts = repository.root, PartExplorer(installation, repository.root)
    unknown: Config | None = None
    config = parts.look("settings", lambda: load(Path(root), {}, installation.environment), unknown)
    tracked = parts.look("files", lambda: explore_tracked_files(root), TrackedFiles())
    default, why = parts.look("default branch", lambda: default_branch(root), ("", ""))
    files, lines = parts.look("branch", lambda: parse_numstat(branch_changes(root, default)), (0, 0))
    nothing: tuple[str, ...] | None = None
    changed = parts.look("status", lambda: _list_changed(repository), nothing)
    no_plans: tuple[Doc | None, tuple[str, ...]] = (None, ())
    index, plans = parts.look("plans", lambda: _read_plans(root), no_plans)
    inventory = take_inventory(installation, repository, config or Config(), tracked.near, parts)
    # Settings that cannot be read may name another forge: a token is sent to none then.
    work, has_login, silence = (
        fetch_open_work(installation, repository, config) if config else (OpenWork(), False, NO_SETTINGS)
    )
    return RepoContext(
        as_of=as_of.isoformat(),
        branch=sanitize_line(repository.branch()),
        default_branch=sanitize_line(default),
        default_branch_problem=why,
        commits=parts.look("commits", lambda: parse_log(last_commits(root)), ()),
        changed=changed or (),
        has_status=changed is not None,
        branch_files=files,
        branch_lines=lines,
        docs=tracked.docs,
        omitted_docs=tracked.unlisted_docs,
        docs_stale=find_stale(tracked.docs, as_of),
        docs_missing=tracked.docs_missing,
        state_age_days=find_state_age_days(tracked.docs, as_of),
        plans_index=index is not None,
        plans_index_frontmatter=index.frontmatter if index else (),
        plans=plans,
        has_forge_login=has_login,
        forge_problem=parts.hide_paths(silence),
        pulls=work.pulls,
        issues=work.issues,
        omitted_work=work.unlisted_count,
        inventory=inventory,
        languages=tracked.languages,
        governance_missing=tracked.governance_missing,
        is_configured="reknit.toml" in tracked.near,
        problems=(*parts.problems, *((f"{INDEX}: {index.problem}",) if index and index.problem else ())),
    )


def _find_repository(folder: Path) -> UserRepository:
    try:
        return UserRepository.find(str(folder))
    except ReknitError as problem:
        message = f"{STAGE}: {problem.message}"
        raise rebuild_error(problem.exit_code, problem.name, message, problem.help, problem.where) from None


def _list_changed(repository: UserRepository) -> tuple[str, ...]:
    """List changed paths. git names a new folder without its files, but rules need the files below `.reknit/`."""
    changed = {*repository.dirty()}
    own = repository.untracked_in(OWN)[:MAX_DIRTY] if OWN in changed else ()
    return tuple(sorted(map(sanitize_line, (changed - {OWN}).union(own))))


def _read_plans(root: str) -> tuple[Doc | None, tuple[str, ...]]:
    """Read the plan index, and list the existing files that it refers to; a plan need not be tracked."""
    index_bytes = read_first_bytes(root, [INDEX], _INDEX_BYTES).get(INDEX)
    if index_bytes is None:
        return None, ()
    text = index_bytes.decode("utf-8", "replace") if isinstance(index_bytes, bytes) else ""
    there = read_first_bytes(root, find_references(text), 1)
    return read_doc(INDEX, index_bytes), tuple(path for path, raw in there.items() if isinstance(raw, bytes))
