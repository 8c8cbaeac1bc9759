"""Measures cases against each other: each in a fresh Python, in turn, several times; a busy machine then slows all."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROUNDS = 5
_PROJECT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Cost:
    cpu_s: float
    peak_mb: float
    count: int
    """What the case says it has read; a case that reads nothing is quick."""


@dataclass(frozen=True)
class Costs:
    """One case, round by round."""

    rounds: tuple[Cost, ...]

    @property
    def cpu_s(self) -> float:
        return median(cost.cpu_s for cost in self.rounds)

    @property
    def peak_mb(self) -> float:
        return max(cost.peak_mb for cost in self.rounds)

    @property
    def count(self) -> int:
        return self.rounds[0].count

    def cpu_of(self, anchor: "Costs") -> float:
        """The middle one of the ratios that each round gave."""
        return median(mine.cpu_s / its.cpu_s for mine, its in zip(self.rounds, anchor.rounds, strict=True))


def compare(cases: Sequence[str], folder: Path, rounds: int = ROUNDS) -> list[Costs]:
    """`cases`: `module.function` in this package. The first round is thrown away: it fills the caches."""
    seen = [[_run(case, folder) for case in cases] for _ in range(rounds + 1)][1:]
    return [Costs(tuple(costs)) for costs in zip(*seen, strict=True)]


def _run(case: str, folder: Path) -> Cost:
    argv = [sys.executable, "-m", "bench.child", *case.split("."), str(folder)]
    done = subprocess.run(argv, cwd=_PROJECT, stdout=subprocess.PIPE, text=True, check=True)
    return Cost(**json.loads(done.stdout))
