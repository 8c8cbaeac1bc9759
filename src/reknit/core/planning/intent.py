"""Describes the topic of a plan, and the limits that a person sets."""

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Cap = Literal["single session", "~1 hour", "1-2 days", "1+ week", "no cap"]
NO_CAP: Cap = "no cap"
CAPS: Mapping[Cap, int] = {
    "single session": 5 * 3600,  # as long as the usage window of a subscription
    "~1 hour": 3600,
    "1-2 days": 2 * 86_400,
    "1+ week": 14 * 86_400,  # a cap must end somewhere: twice the week that it names
    NO_CAP: 0,
}
"""Maximum time of a run in seconds; 0: no limit."""
_MAX_NAME_CHARS = 60
_RESERVED = ("index",)
"""`index.md` lists the plans."""
ConstraintKind = Literal["variant", "model", "budget", "branch", "time", "unchecked"]


@dataclass(frozen=True)
class Constraint:
    """One limit."""

    kind: ConstraintKind
    """`unchecked`: prose, so only the prompt says it and a person checks it."""
    text: str
    """The person's own words."""
    value: str = ""
    """The operand of the rule: a variant, a word of a model's name, US dollars, a branch, seconds."""


@dataclass(frozen=True)
class Intent:
    """The request of a person for a plan."""

    topic: str
    """A slug."""
    description: str = ""
    constraints: tuple[Constraint, ...] = ()
    answers: tuple[tuple[str, str], ...] = ()
    """(question, answer) from a terminal."""
    confirmed: bool = False
    """`--confirm-burn-everything` was given."""


def make_slug(text: str) -> str:
    """Return lower-case ASCII words joined by hyphens; a text without any gets a name made from its digest."""
    letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    name = "-".join(re.findall("[a-z0-9]+", plain))[:_MAX_NAME_CHARS].strip("-")
    if not name:
        return f"topic-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    return f"{name}-plan" if name in _RESERVED else name
