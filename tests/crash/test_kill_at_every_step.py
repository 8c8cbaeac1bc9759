"""`kill -9` before and after every step, then a replacement: the same end, one landing, nothing counted twice."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from reknit.app.demo import LEARNER
from tests.crash.databases import Databases
from tests.crash.scene import Left, Scene
from tests.crash.stage import EVERY_NTH, SCENES_AT_ONCE
from tests.crash.workers import Launch, fresh

KILLED = -9
COSTS = {round(move["cost_usd"], 6) for move in json.loads(LEARNER)} | {0.0}


@pytest.mark.crash
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_killed_run_ends_as_one_that_was_not(
    kind: str, tmp_path: Path, forked: tuple[Launch, Launch], request: pytest.FixtureRequest
) -> None:
    databases: Databases = request.getfixturevalue(f"{kind}_databases")

    def scene(name: str, new_database: Callable[[Path], str], *launch: Launch) -> Scene:
        folder = tmp_path / name
        folder.mkdir()
        return Scene(folder, new_database(folder), launch=launch)

    calm = scene("calm", databases.empty, fresh)
    assert calm.start() == 0, calm.log()
    expected = calm.left()
    moments = calm.traces()
    assert expected.ending == "FIXED"
    assert len(expected.landed) == 1
    assert (expected.receipts, expected.waits, expected.orphans) == (1, 1, 0)
    assert expected.untouched

    def killed(number: int) -> tuple[str, Left]:
        one = scene(f"kill-{number:03}", databases.used, *forked)
        assert one.start(die_at=number) == KILLED, one.log()
        assert one.replace() == 0, one.log()
        return f"{moments[number]} ({number})", one.left()

    with ThreadPoolExecutor(max_workers=SCENES_AT_ONCE) as pool:
        ends = list(pool.map(killed, range(0, len(moments), EVERY_NTH)))
    diverged = [(moment, left) for moment, left in ends if left != expected]
    wrong_sums = [(moment, left) for moment, left in ends if not _is_honest(moment, left, expected)]
    print(f"\n{kind}: {len(ends)} kills, {len(diverged)} divergences, {len(wrong_sums)} wrong sums")
    assert not diverged
    assert not wrong_sums
    assert len(moments) >= 30


def _is_honest(moment: str, left: Left, expected: Left) -> bool:
    """Money that was spent is counted, also for a call whose answer was lost; nothing else is counted twice."""
    more = round(left.spent_usd - expected.spent_usd, 6)
    return more in COSTS if moment.startswith("attempt.v1 after") else more == 0
