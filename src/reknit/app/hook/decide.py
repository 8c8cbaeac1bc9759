"""Answers a window that stops: waits for the result of its check, and adds the news of its pull request."""

import time
from pathlib import Path

from reknit.adapters.bounded.in_process import TimeLimitError, limit_time
from reknit.adapters.hook import HookFiles, PullWatches
from reknit.app.installation import Installation
from reknit.core.errors import ReknitError
from reknit.core.hook.marker import (
    HookAnswer,
    Marker,
    Notified,
    answer_still_running,
    format_too_slow,
    is_news,
    limit_blocks,
)

LOOK_S = 0.2
RESTART_S = 15.0
"""Seconds after which another worker is started: the one that had the check may have been killed."""
QUICK_S = 5.0
"""Seconds from the start of a check: after that, the tree is compared again, since somebody may have changed it."""
MARGIN_S = 20.0
"""Seconds before the agent's own limit: an answer after that limit is lost."""
SHORTEST_S = 5.0
"""Minimum seconds for the start of a check, whatever the limit."""
LEAST_S = 1.0
"""Minimum seconds for the news of a pull request, however late it is."""


def decide(installation: Installation, folder: Path, session: str, limit_s: float, *, active: bool) -> HookAnswer:
    """Return the answer for a window that stops.

    `active`: the window works because a hook sent it back. Only a test sends it back, never a pull request.
    """
    latest = time.monotonic() + limit_s - MARGIN_S / 4
    answer = _decide_by_test(installation, folder, session, limit_s, active=active)
    if answer.block or not PullWatches(installation.hooks).read(str(folder), session):
        return answer
    from reknit.app.hook.window_pulls import report_pull_news  # late: loads the database

    try:
        with limit_time(max(latest - time.monotonic(), LEAST_S)):
            pull_report = report_pull_news(installation, str(folder), session)
    except (ReknitError, TimeLimitError) as problem:  # still report the test result
        why = problem.message if isinstance(problem, ReknitError) else "the database does not answer"
        pull_report = f"the pull request's run could not be read: {why}"
    return HookAnswer(block=False, text="\n".join(text for text in (answer.text, pull_report) if text))


def _decide_by_test(
    installation: Installation, folder: Path, session: str, limit_s: float, *, active: bool
) -> HookAnswer:
    until = time.monotonic() + max(limit_s - MARGIN_S, limit_s / 2)
    at_most_s = max(limit_s - MARGIN_S / 2, limit_s * 0.75, SHORTEST_S)
    files, repository = HookFiles(installation.hooks), str(folder)
    earlier_answer = files.read_news_state(repository, session)
    try:
        with limit_time(at_most_s):  # a huge working tree, or a database that does not answer
            marker = _wait_for_check(installation, repository, session, earlier_answer, until)
    except TimeLimitError:
        return HookAnswer(block=False, text=format_too_slow(at_most_s))
    except ReknitError as problem:
        return HookAnswer(block=False, text=f"NOT CHECKED: {problem.message}")
    if marker is None:
        return HookAnswer(block=False)
    blocks = earlier_answer.blocks if active else 0
    answer = limit_blocks(_answer_from_marker(marker), blocks, marker.bug_id, marker.test_path, marker.check)
    files.write_news_state(repository, session, Notified(marker.answered, blocks + 1 if answer.block else 0))
    if marker.status != "in_progress":
        files.mark_answered(repository, session, marker)
    return answer


def _wait_for_check(
    installation: Installation, repository: str, session: str, earlier_answer: Notified, until: float
) -> Marker | None:
    """Start or follow the check, and return its marker; None if there is nothing to say.

    A result counts only if it is of the tree as it is at this stop.
    """
    files = HookFiles(installation.hooks)
    marker = files.read(repository, session)
    if marker and marker.status != "in_progress" and not is_news(marker, earlier_answer):
        files.mark_answered(repository, session, marker)  # it was killed after it had reported the end
        return None
    if not is_news(marker, earlier_answer):
        from reknit.app.start.queue import start_worker  # late: not needed for a result that is there

        # First: it loads while this process reads the tree. Without a marker there may be nothing to check.
        served_until = start_worker(installation) if marker else 0.0
        from reknit.app.hook.start_check import ensure_check  # late: loads the database

        marker, is_new = ensure_check(installation, repository, session, earlier_answer, served_until)
        started = time.monotonic()
        marker = _wait_for_marker(installation, marker, repository, session, until)
        if is_new and time.monotonic() - started < QUICK_S:
            return marker
    if marker and marker.has_counted:
        from reknit.app.hook.start_check import check_again

        marker = _wait_for_marker(
            installation, check_again(installation, repository, session, marker.answered), repository, session, until
        )
    return marker


def _wait_for_marker(
    installation: Installation, marker: Marker | None, repository: str, session: str, until: float
) -> Marker | None:
    files, restart = HookFiles(installation.hooks), time.monotonic() + RESTART_S
    while marker and marker.check and time.monotonic() < until:
        time.sleep(LOOK_S)
        if time.monotonic() > restart:
            from reknit.app.start.queue import start_worker  # late: few waits are so long

            start_worker(installation)
            restart += RESTART_S
        marker = files.read(repository, session)
    return marker


def _answer_from_marker(marker: Marker) -> HookAnswer:
    if marker.check:
        started = time.strftime("%H:%M", time.localtime(marker.since))
        return answer_still_running(marker.bug_id, marker.check, started)
    return marker.answer or HookAnswer(block=False)
