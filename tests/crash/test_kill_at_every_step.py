"""`kill -9` before and after every step, then a replacement: the same end, one landing, nothing counted twice."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.crash.scene import Left, Scene

KILLED = -9


@pytest.mark.crash
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_killed_run_ends_as_one_that_was_not(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    new_database = request.getfixturevalue("new_postgres_database") if kind == "postgres" else lambda: ""

    def scene(name: str) -> Scene:
        folder = tmp_path / name
        folder.mkdir()
        return Scene(folder, new_database())

    calm = scene("calm")
    assert calm.start() == 0, calm.log()
    expected = calm.left()
    moments = calm.traces()
    assert expected.ending == "FIXED"
    assert len(expected.landed) == 1
    assert (expected.receipts, expected.waits, expected.orphans) == (1, 1, 0)
    assert expected.untouched

    def killed(number: int) -> tuple[str, Left]:
        one = scene(f"kill-{number}")
        assert one.start(die_at=number) == KILLED, one.log()
        assert one.replace() == 0, one.log()
        return f"{moments[number]} ({number})", one.left()

    with ThreadPoolExecutor(max_workers=2) as pool:
        ends = list(pool.map(killed, range(len(moments))))
    diverged = [(moment, left) for moment, left in ends if left != expected]
    print(f"\n{kind}: {len(ends)} kills, {len(diverged)} divergences")
    assert not diverged
    assert len(ends) >= 30
