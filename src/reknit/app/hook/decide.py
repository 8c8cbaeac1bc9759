"""Answers a window that stops: with the result of its check, which is waited for, and the news of its pull request."""

import time
from pathlib import Path

from reknit.adapters.bounded.in_process import TooLong, alarm
from reknit.adapters.hook.files import HookFiles
from reknit.adapters.hook.pull_watches import PullWatches
from reknit.app.installation import Installation
from reknit.core.errors import ReknitError
from reknit.core.hook.answer import Answer, still_running, too_slow, within_cap
from reknit.core.hook.marker import Marker, Told, is_news

LOOK_S = 0.2
MARGIN_S = 20.0
"""Before the agent's own limit: an answer that comes too late is none."""
SHORTEST_S = 5.0
"""That the start of a check may take, whatever the limit."""
LEAST_S = 1.0
"""For the news of a pull request, however late it is."""


def decide(place: Installation, folder: Path, session: str, limit_s: float, *, active: bool) -> Answer:
    """`active`: the window works because a hook sent it back. Only a test sends it back, never a pull request."""
    latest = time.monotonic() + limit_s - MARGIN_S / 4
    answer = _of_its_test(place, folder, session, limit_s, active=active)
    if answer.block or not PullWatches(place.hooks).read(str(folder), session):
        return answer
    from reknit.app.hook.window_pulls import pull_news  # late: loads the database

    try:
        with alarm(max(latest - time.monotonic(), LEAST_S)):
            told = pull_news(place, str(folder), session)
    except (ReknitError, TooLong) as problem:  # what its test showed is told all the same
        why = problem.what if isinstance(problem, ReknitError) else "the database does not answer"
        told = f"the pull request's run could not be read: {why}"
    return Answer(block=False, text="\n".join(text for text in (answer.text, told) if text))


def _of_its_test(place: Installation, folder: Path, session: str, limit_s: float, *, active: bool) -> Answer:
    until = time.monotonic() + max(limit_s - MARGIN_S, limit_s / 2)
    at_most_s = max(limit_s - MARGIN_S / 2, limit_s * 0.75, SHORTEST_S)
    files, repository = HookFiles(place.hooks), str(folder)
    told = files.told(repository, session)
    try:
        with alarm(at_most_s):  # a huge working tree, or a database that does not answer
            marker = _checked(place, repository, session, told, until)
    except TooLong:
        return Answer(block=False, text=too_slow(at_most_s))
    except ReknitError as problem:
        return Answer(block=False, text=f"NOT CHECKED: {problem.what}")
    if marker is None:
        return Answer(block=False)
    blocks = told.blocks if active else 0
    answer = within_cap(_answer(marker), blocks, marker.bug_id, marker.test_path, marker.check)
    files.tell(repository, session, Told(marker.answered, blocks + 1 if answer.block else 0))
    if marker.status != "in_progress":
        files.mark_told(repository, session, marker)
    return answer


def _checked(place: Installation, repository: str, session: str, told: Told, until: float) -> Marker | None:
    """None: nothing to say. A test that passed must have passed on the tree as it is at this stop."""
    files = HookFiles(place.hooks)
    marker = files.read(repository, session)
    if marker and marker.status != "in_progress" and not is_news(marker, told):
        files.mark_told(repository, session, marker)  # it was killed after it had told the end
        return None
    if not is_news(marker, told):
        from reknit.app.hook.start_check import ensure_check  # late: loads the database

        marker, is_new = ensure_check(place, repository, session, told)
        marker = _wait(files, marker, repository, session, until)
        if is_new:
            return marker
    if marker and marker.status == "FIXED":
        from reknit.app.hook.start_check import check_again

        marker = _wait(files, check_again(place, repository, session, marker.answered), repository, session, until)
    return marker


def _wait(files: HookFiles, marker: Marker | None, repository: str, session: str, until: float) -> Marker | None:
    while marker and marker.check and time.monotonic() < until:
        time.sleep(LOOK_S)
        marker = files.read(repository, session)
    return marker


def _answer(marker: Marker) -> Answer:
    if marker.check:
        started = time.strftime("%H:%M", time.localtime(marker.since))
        return still_running(marker.bug_id, marker.check, started)
    return marker.answer or Answer(block=False)
