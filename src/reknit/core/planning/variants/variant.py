"""A variant: what kind of work it is for, when it may run, and how."""

from dataclasses import dataclass
from typing import Literal

from reknit.core.agents.strategy import Strategy

Flow = Literal["fix issues", "review"]
"""The kind of run that does the work; `review` reports and changes nothing."""
Floor = Literal["off the default branch", "confirmed", "clean tree", "tests"]
"""What must hold where it runs: another branch than the default one; `--confirm-burn-everything`; no uncommitted
change; a test command."""


@dataclass(frozen=True)
class Variant:
    name: str
    purpose: str
    """One sentence."""
    flow: Flow = "fix issues"
    base: int = 0
    """Its score without any signal."""
    signals: tuple[tuple[str, int], ...] = ()
    """(signal, weight), as `signals.py` names them."""
    floors: tuple[Floor, ...] = ()
    strategy: Strategy = "local"
    """What an agent may use from its first attempt on."""
    agent: str = ""
    """Empty: the configured one."""
    model: str = ""
    """Empty: the agent's own."""
    budget_usd: float = 0.0
    """At most; 0: the configured one. A run never gets more than is configured."""
    timeout_s: float = 0.0
    attempts: int = 0
    tasks: int = 0
    """How many tasks one run takes; 0: as configured."""
    origin: str = ""
    """Its file, if it is not one of ours."""


@dataclass(frozen=True)
class VariantScore:
    variant: str
    score_0_100: int
    reasons: tuple[str, ...] = ()
    disqualifying: tuple[str, ...] = ()
    """Why it may not be recommended here."""
