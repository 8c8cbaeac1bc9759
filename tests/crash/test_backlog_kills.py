"""`kill -9` before and after every step of a run on the backlog: the same end, one commit, the same histories."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.crash.backlog_stage import BacklogLeft, BacklogStage, ToolStage
from tests.crash.databases import Databases
from tests.crash.stage import EVERY_NTH, SCENES_AT_ONCE
from tests.crash.workers import Launch, fresh

KILLED = -9
TOOL_STEPS = ("look_by_tools", "fix_by_tools", "judge_tools", "prove_tools", "record_tools", "rebatch")
pytestmark = [pytest.mark.crash, pytest.mark.timeout(900)]


class Kills:
    def __init__(self, kind: str, folder: Path, forked: tuple[Launch, Launch], databases: Databases) -> None:
        self._kind, self._folder, self._forked, self._databases = kind, folder, forked, databases

    def expected(self, stage: type[BacklogStage]) -> tuple[BacklogLeft, list[str]]:
        """What a run leaves that nobody kills, and its moments."""
        calm = self._stage(stage, "calm", self._databases.empty, fresh)
        assert calm.start() == 0, calm.log()
        expected = calm.left()
        assert (expected.untouched, expected.orphans, expected.receipts) == (True, 0, 1)
        return expected, calm.traces()

    def at_all(self, stage: type[BacklogStage], expected: BacklogLeft, moments: list[str]) -> list[tuple[str, float]]:
        """Each moment with what was spent; all ends are the expected one."""

        def killed(number: int) -> tuple[str, BacklogLeft]:
            one = self._stage(stage, f"kill-{number:03}", self._databases.used, *self._forked)
            assert one.start(die_at=number) == KILLED, one.log()
            assert one.replace() == 0, one.log()
            return moments[number], one.left()

        step = 1 if self._kind == "sqlite" else 2  # on Postgres between the steps only: SQLite has shown what is left
        with ThreadPoolExecutor(max_workers=SCENES_AT_ONCE) as pool:
            ends = list(pool.map(killed, range(0, len(moments), step * EVERY_NTH)))
        diverged = [(moment, left) for moment, left in ends if left != expected]
        cheaper = [(moment, left.spent_usd) for moment, left in ends if left.spent_usd < expected.spent_usd]
        print(f"\n{self._kind}: {len(ends)} kills, {len(diverged)} divergences, {len(cheaper)} sums too low")
        assert not diverged
        assert not cheaper
        return [(moment, left.spent_usd) for moment, left in ends]

    def _stage(
        self, stage: type[BacklogStage], name: str, new_database: Callable[[Path], str], *launch: Launch
    ) -> BacklogStage:
        folder = self._folder / name
        folder.mkdir()
        return stage(folder, new_database(folder), launch)


@pytest.fixture(params=["sqlite", "postgres"])
def kills(tmp_path: Path, forked: tuple[Launch, Launch], request: pytest.FixtureRequest) -> Kills:
    databases: Databases = request.getfixturevalue(f"{request.param}_databases")
    return Kills(request.param, tmp_path, forked, databases)


def test_a_killed_run_on_the_backlog_ends_as_one_that_was_not(kills: Kills) -> None:
    expected, moments = kills.expected(BacklogStage)
    assert (expected.ending, len(expected.landed)) == ("PARTIAL", 1), expected
    assert dict(expected.histories) == {
        "app/b1.py": ("OPEN", "IN_PROGRESS", "RESOLVED"),
        "app/b2.py": ("OPEN", "IN_PROGRESS", "FAILED"),
        "web/f1.ts": ("OPEN", "IN_PROGRESS", "RESOLVED"),
    }
    assert len(moments) >= 40
    kills.at_all(BacklogStage, expected, moments)


def test_a_run_that_is_killed_while_tools_fix_ends_as_one_that_was_not(kills: Kills) -> None:
    expected, moments = kills.expected(ToolStage)
    assert (expected.ending, len(expected.landed), len(expected.attempts)) == ("FIXED", 1, 1), expected
    assert dict(expected.histories) == {
        "app/b1.py": ("OPEN", "IN_PROGRESS", "RESOLVED"),
        "app/none.py": ("OPEN", "IN_PROGRESS", "RESOLVED"),
    }
    assert {*moments} >= {f"{step}.v1 {moment}" for step in TOOL_STEPS for moment in ("before", "after")}, moments
    spent = kills.at_all(ToolStage, expected, moments)
    twice = [each for each in spent if not each[0].startswith("work_issues") and each[1] != expected.spent_usd]
    assert not twice  # a call is paid again only if its answer died with its worker
