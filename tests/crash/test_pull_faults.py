"""Every fault of the forge in turn and in pairs, and `kill -9` at every step: nothing twice, nothing of people lost."""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path

import pytest

from tests.crash.databases import SqliteDatabases
from tests.crash.fault_scene import FaultScene, Outcome
from tests.crash.stage import EVERY_NTH, SCENES_AT_ONCE
from tests.crash.workers import Launch
from tests.tools.github import Faults

MOMENTS_A_FAULT = 2
STRIDE = 7
"""So that the moments of a fault are spread over the run, and every moment gets its turn."""


@pytest.mark.crash
@pytest.mark.timeout(1800)
def test_no_fault_and_no_crash_does_anything_twice(
    tmp_path: Path, forked: tuple[Launch, Launch], sqlite_databases: SqliteDatabases
) -> None:
    def play(number: int, faults: Sequence[str], die_at: int | None) -> tuple[Outcome, list[str]]:
        folder = tmp_path / f"{number:03}"
        folder.mkdir()
        sqlite_databases.used(folder)
        scene = FaultScene(folder, faults, forked)
        try:
            return scene.play(die_at), scene.traces()
        finally:
            scene.close()

    calm, moments = play(0, (), None)
    assert (calm.ending, len(calm.pushed), calm.comments, calm.replies, calm.wrongs) == ("CLEAN", 1, 1, 1, [])
    planned = _plan(len(moments))
    with ThreadPoolExecutor(SCENES_AT_ONCE) as pool:
        ends = [end for end, _ in pool.map(lambda job: play(*job), planned)]
    wrong = [(end.faults, end.killed_at, end.wrongs) for end in ends if end.wrongs]
    killed = Counter(end.killed_at for end in ends if end.killed_at)
    print(
        f"\n{len(ends)} combinations of faults and kills ({len(Faults.NAMES)} faults, alone and in pairs; "
        f"{killed.total()} kills at {len(killed)} step boundaries), {len(wrong)} wrong; "
        f"endings {dict(Counter(end.ending for end in ends))}"
    )
    assert not wrong
    never = set(moments[::EVERY_NTH]) - set(killed)
    assert not never, f"never killed at {never}"
    assert len(ends) == len(planned)


def _plan(moments: int) -> list[tuple[int, tuple[str, ...], int]]:
    """Number, faults and moment of each scene: all moments without a fault, some of each fault, one of each pair."""
    jobs: list[tuple[tuple[str, ...], int]] = [((), moment) for moment in range(0, moments, EVERY_NTH)]
    for place, name in enumerate(Faults.NAMES[::EVERY_NTH]):
        jobs += [((name,), (place + turn * STRIDE) % moments) for turn in range(MOMENTS_A_FAULT)]
    pairs = list(combinations(Faults.NAMES, 2))[::EVERY_NTH]
    jobs += [(pair, (place * STRIDE) % moments) for place, pair in enumerate(pairs)]
    return [(number, *job) for number, job in enumerate(jobs, 1)]
