"""Answers a window that stops: the result of a check that is at hand, or of one that is started now and waited for."""

import time
from pathlib import Path

from reknit.adapters.hook.files import HookFiles
from reknit.app.installation import Installation
from reknit.core.errors import ReknitError
from reknit.core.hook.answer import Answer, still_running, within_cap
from reknit.core.hook.marker import Marker, Told

LOOK_S = 0.2
MARGIN_S = 20.0
"""Before the agent's own limit: an answer that comes too late is none."""


def decide(place: Installation, folder: Path, session: str, limit_s: float, *, active: bool) -> Answer:
    """`active`: the window works because a hook sent it back."""
    until = time.monotonic() + max(limit_s - MARGIN_S, limit_s / 2)
    files, repository = HookFiles(place.hooks), str(folder)
    marker, told = files.read(repository, session), files.told(repository, session)
    if not _is_news(marker, told):
        from reknit.app.hook.start_check import ensure_check  # late: loads the database

        try:
            marker = ensure_check(place, repository, session)
        except ReknitError as problem:
            return Answer(block=False, text=f"NOT CHECKED: {problem.what}")
    while marker and marker.check and time.monotonic() < until:
        time.sleep(LOOK_S)
        marker = files.read(repository, session)
    if marker is None:
        return Answer(block=False)
    blocks = told.blocks if active else 0
    answer = within_cap(_answer(marker), blocks, marker.bug_id, marker.test_path)
    files.tell(repository, session, Told(marker.answered, blocks + 1 if answer.block else 0))
    return answer


def _is_news(marker: Marker | None, told: Told) -> bool:
    return bool(marker and marker.answer and marker.answered != told.run_id)


def _answer(marker: Marker) -> Answer:
    if marker.check:
        started = time.strftime("%H:%M", time.localtime(marker.since))
        return still_running(marker.bug_id, marker.check, started)
    return marker.answer or Answer(block=False)
