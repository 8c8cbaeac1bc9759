"""`kill -9` before and after every step of a plan: one file, one line of the index, and no second call."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.crash.databases import Databases
from tests.crash.plan_stage import COST, PlanLeft, PlanStage
from tests.crash.stage import EVERY_NTH, SCENES_AT_ONCE
from tests.crash.workers import Launch, fresh

KILLED = -9
STEPS = {"analyse.v1", "plan_wait_plan.v1", "validate_plan.v1", "emit_plan.v1", "finish_plan.v1"}


@pytest.mark.crash
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_killed_plan_ends_as_one_that_was_not(
    kind: str, tmp_path: Path, forked: tuple[Launch, Launch], request: pytest.FixtureRequest
) -> None:
    databases: Databases = request.getfixturevalue(f"{kind}_databases")

    def stage(name: str, new_database: Callable[[Path], str], *launch: Launch) -> PlanStage:
        folder = tmp_path / name
        folder.mkdir()
        return PlanStage(folder, launch, new_database(folder))

    calm = stage("calm", databases.empty, fresh)
    assert calm.start() == 0, calm.log()
    expected, moments = calm.left(), calm.traces()
    assert (expected.ending, len(expected.index), expected.spent_usd) == ("CLEAN", 1, COST), expected
    assert (expected.files, expected.untouched, expected.orphans) == (("index.md", "tidy-up-advisor.md"), True, 0)
    assert {moment.split()[0] for moment in moments} == STEPS

    def killed(number: int) -> tuple[str, PlanLeft]:
        one = stage(f"kill-{number:02}", databases.used, *forked)
        assert one.start(die_at=number) == KILLED, one.log()
        assert one.replace() == 0, one.log()
        return moments[number], one.left()

    with ThreadPoolExecutor(max_workers=SCENES_AT_ONCE) as pool:
        ends = list(pool.map(killed, range(0, len(moments), EVERY_NTH)))
    diverged = [(moment, left) for moment, left in ends if left != expected]
    paid_twice = [(moment, left.spent_usd) for moment, left in ends if left.spent_usd > _most(moment)]
    print(f"\n{kind}: {len(ends)} kills, {len(diverged)} divergences, {len(paid_twice)} second calls")
    assert not diverged
    assert not paid_twice


def _most(moment: str) -> float:
    """A call whose answer died with its worker, before it could be kept, is the only one that is made again."""
    return 2 * COST if moment == "analyse.v1 after" else COST
