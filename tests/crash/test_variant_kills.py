"""`kill -9` before and after each step that a plan adds to a run: the same end, and each result once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.crash.databases import Databases
from tests.crash.stage import EVERY_NTH, SCENES_AT_ONCE
from tests.crash.variant_stage import VariantLeft, VariantStage
from tests.crash.workers import Launch, fresh

KILLED = -9
STEPS = ("land_issues.v1", "settle_issues.v1", "check_criterion.v1", "write_results.v1", "finish_issues.v1")
"""What comes before them is killed in `test_backlog_kills.py`."""


@pytest.mark.crash
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_killed_variant_ends_as_one_that_was_not(
    kind: str, tmp_path: Path, forked: tuple[Launch, Launch], request: pytest.FixtureRequest
) -> None:
    databases: Databases = request.getfixturevalue(f"{kind}_databases")

    def stage(name: str, new_database: Callable[[Path], str], *launch: Launch) -> VariantStage:
        folder = tmp_path / name
        folder.mkdir()
        return VariantStage(folder, launch, new_database(folder))

    calm = stage("calm", databases.empty, fresh)
    assert calm.start() == 0, calm.log()
    expected, moments = calm.left(), calm.traces()
    assert (expected.ending, len(expected.trees), expected.receipts, expected.orphans) == ("FIXED", 2, 1, 0), expected
    assert expected.plan.count("  - passed: ") == 3
    late = [number for number, moment in enumerate(moments) if moment.split()[0] in STEPS]
    assert {moments[number].split()[0] for number in late} == {*STEPS}

    def killed(number: int) -> tuple[str, VariantLeft]:
        one = stage(f"kill-{number:02}", databases.used, *forked)
        assert one.start(die_at=number) == KILLED, one.log()
        assert one.replace() == 0, one.log()
        return moments[number], one.left()

    with ThreadPoolExecutor(max_workers=SCENES_AT_ONCE) as pool:
        ends = list(pool.map(killed, late[::EVERY_NTH]))
    diverged = [(moment, left) for moment, left in ends if left != expected]
    print(f"\n{kind}: {len(ends)} kills, {len(diverged)} divergences")
    assert not diverged
