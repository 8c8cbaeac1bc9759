"""`kill -9` before and after every step of a run on the backlog: the same end, one commit, the same histories."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.crash.backlog_stage import BacklogLeft, BacklogStage
from tests.crash.databases import Databases
from tests.crash.stage import EVERY_NTH, SCENES_AT_ONCE
from tests.crash.workers import Launch, fresh

KILLED = -9


@pytest.mark.crash
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_killed_run_on_the_backlog_ends_as_one_that_was_not(
    kind: str, tmp_path: Path, forked: tuple[Launch, Launch], request: pytest.FixtureRequest
) -> None:
    databases: Databases = request.getfixturevalue(f"{kind}_databases")

    def stage(name: str, new_database: Callable[[Path], str], *launch: Launch) -> BacklogStage:
        folder = tmp_path / name
        folder.mkdir()
        return BacklogStage(folder, new_database(folder), launch)

    calm = stage("calm", databases.empty, fresh)
    assert calm.start() == 0, calm.log()
    expected, moments = calm.left(), calm.traces()
    assert (expected.ending, len(expected.landed), expected.receipts) == ("PARTIAL", 1, 1), expected
    assert dict(expected.histories) == {
        "app/b1.py": ("OPEN", "IN_PROGRESS", "RESOLVED"),
        "app/b2.py": ("OPEN", "IN_PROGRESS", "FAILED"),
        "web/f1.ts": ("OPEN", "IN_PROGRESS", "RESOLVED"),
    }
    assert (expected.untouched, expected.orphans) == (True, 0)

    def killed(number: int) -> tuple[str, BacklogLeft]:
        one = stage(f"kill-{number:03}", databases.used, *forked)
        assert one.start(die_at=number) == KILLED, one.log()
        assert one.replace() == 0, one.log()
        return f"{moments[number]} ({number})", one.left()

    step = 1 if kind == "sqlite" else 2  # on Postgres between the steps only: what a step leaves, SQLite has shown
    with ThreadPoolExecutor(max_workers=SCENES_AT_ONCE) as pool:
        ends = list(pool.map(killed, range(0, len(moments), step * EVERY_NTH)))
    diverged = [(moment, left) for moment, left in ends if left != expected]
    cheaper = [(moment, left.spent_usd) for moment, left in ends if left.spent_usd < expected.spent_usd]
    print(f"\n{kind}: {len(ends)} kills, {len(diverged)} divergences, {len(cheaper)} sums too low")
    assert not diverged
    assert not cheaper
    assert len(moments) >= 40
