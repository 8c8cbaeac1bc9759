"""What a person wants a plan for, and the limits they set."""

from dataclasses import dataclass
from typing import Literal

Cap = Literal["single session", "~1 hour", "1-2 days", "1+ week", "no cap"]
ConstraintKind = Literal["variant", "model", "budget", "branch", "time", "never", "unchecked"]


@dataclass(frozen=True)
class Constraint:
    """One limit."""

    kind: ConstraintKind
    """`never`: reknit does it under no circumstances. `unchecked`: no code can tell, so only the prompt says it."""
    text: str
    """As the person wrote it."""
    value: str = ""
    """What the rule compares with: the variant, a word of the model's name, dollars, the branch, seconds."""


@dataclass(frozen=True)
class Intent:
    topic: str
    """A slug."""
    description: str = ""
    constraints: tuple[Constraint, ...] = ()
    answers: tuple[tuple[str, str], ...] = ()
    """(question, answer) from a terminal."""
    confirmed: bool = False
    """`--confirm-burn-everything` was given."""
