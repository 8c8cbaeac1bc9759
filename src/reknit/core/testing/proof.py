"""What a run of the tests after an attempt proves."""

from dataclasses import dataclass
from typing import Literal

from reknit.core.check_answer import CheckAnswer
from reknit.core.testing.made_runs import MadeRun

ProofWord = Literal["proven", "held", "unproven", "still_red", "regressed", "unseen", "refused"]
"""`held`: no test became red, but no test covers what was asked for. `refused`: green, but by tampering."""


@dataclass(frozen=True)
class Proof:
    """What reknit itself ran and saw after an attempt."""

    word: ProofWord
    sentence: str
    evidence: str
    """junit or exit code."""
    fixed: tuple[str, ...] = ()
    """Test ids that were red at base and have now passed twice."""
    still_red: tuple[str, ...] = ()
    regressed: tuple[str, ...] = ()
    passed: int = 0
    output_tail: str = ""
    seconds: float = 0.0
    remembered: bool = False
    """An earlier attempt of the run left the very same tree, so its tests were not run again."""
    flaky: tuple[str, ...] = ()
    """Tests that became red, but not because of the change: left out."""
    ran: tuple[MadeRun, ...] = ()
    checks: tuple[CheckAnswer, ...] = ()
    """What the tamper checks said."""
    holdout: str = ""
    """What further cases of another vendor showed, or why there are none; empty if nobody was to be asked."""
