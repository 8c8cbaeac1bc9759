"""`kill -9` before and after every step of a check: one attempt is counted, and the window is told once what to do."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.crash.databases import SqliteDatabases
from tests.crash.hook_stage import HookLeft, HookStage
from tests.crash.stage import EVERY_NTH, SCENES_AT_ONCE
from tests.crash.workers import Launch

KILLED = -9


@pytest.mark.crash
@pytest.mark.timeout(600)
def test_a_check_ends_the_same_wherever_its_worker_dies(
    tmp_path: Path, forked: tuple[Launch, Launch], sqlite_databases: SqliteDatabases
) -> None:
    def play(die_at: int | None) -> tuple[HookLeft, list[str]]:
        folder = tmp_path / ("calm" if die_at is None else f"{die_at:02}")
        folder.mkdir()
        sqlite_databases.used(folder)
        stage = HookStage(folder, forked)
        code = stage.start(die_at)
        killed_at = stage.traces()[-1] if code == KILLED else ""
        code = stage.replace() if killed_at else code
        assert code == 0, stage.log()
        return stage.left(killed_at), stage.traces()

    calm, moments = play(None)
    assert (calm.ending, calm.bug.attempt, len(calm.bug.history), calm.check) == ("PARTIAL", 2, 1, "")
    assert calm.told.startswith("RETRY: BUG-001 - Attempt 2 of 3\n")
    assert {moment.split()[0] for moment in moments} == {"hook_judge.v1", "hook_test.v1", "hook_conclude.v1"}
    with ThreadPoolExecutor(SCENES_AT_ONCE) as pool:
        ends = [end for end, _ in pool.map(play, range(0, len(moments), EVERY_NTH))]
    assert [(end.killed_at, end) for end in ends if end != calm] == []
    assert {end.killed_at for end in ends} == set(moments[::EVERY_NTH])
    print(f"\n{len(ends)} kills of a check at {len(set(moments))} step boundaries, 0 wrong")
