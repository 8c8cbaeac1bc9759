"""Verdicts: what the gate and the verification say about one attempt."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Refusal:
    rule: str
    """The rule's stable id: `protected-path`."""
    path: str
    sentence: str
    """For people and for the next attempt's prompt."""


@dataclass(frozen=True)
class GateVerdict:
    refusals: tuple[Refusal, ...]
    rules: tuple[str, ...]
    """Ids of all the rules that looked."""
    files: int
    added: int
    removed: int

    @property
    def accepted(self) -> bool:
        return not self.refusals


ProofWord = Literal["proven", "held", "unproven", "still_red", "regressed", "unseen"]
"""`held`: no test became red, and no test speaks for what was asked."""


@dataclass(frozen=True)
class Proof:
    """What reknit itself ran and saw after an attempt."""

    word: ProofWord
    sentence: str
    evidence: str
    """junit or exit code."""
    fixed: tuple[str, ...] = ()
    """Test ids that were red at base and are green now, twice."""
    still_red: tuple[str, ...] = ()
    regressed: tuple[str, ...] = ()
    passed: int = 0
    output_tail: str = ""
    seconds: float = 0.0
    remembered: bool = False
    """An earlier attempt of the run left the very same tree: its tests were not run again."""
