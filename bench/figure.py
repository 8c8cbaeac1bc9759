"""One measured figure: what ours cost, what the anchor cost, their ratio, and the goal that the ratio has."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Figure:
    name: str
    ours: str
    anchor: str
    ratio: float
    limit: float | None = None
    """None: no goal, said for the sake of the others."""
    bound: Literal["at most", "at least"] = "at most"

    @property
    def is_missed(self) -> bool:
        if self.limit is None:
            return False
        return self.ratio > self.limit if self.bound == "at most" else self.ratio < self.limit

    @property
    def goal(self) -> str:
        if self.limit is None:
            return ""
        return f"{'<=' if self.bound == 'at most' else '>='} {self.limit:g}"

    @property
    def verdict(self) -> str:
        if self.limit is None:
            return ""
        return "MISSED" if self.is_missed else "ok"


HEAD = f"{'':48} {'ours':>14} {'anchor':>14} {'ratio':>8}  goal"


def line(figure: Figure) -> str:
    cells = f"{figure.name:48} {figure.ours:>14} {figure.anchor:>14} {figure.ratio:8.3f}"
    return f"{cells}  {figure.goal:8} {figure.verdict}".rstrip()
