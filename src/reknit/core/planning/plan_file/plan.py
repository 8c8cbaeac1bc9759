"""Describes a plan and the problems of its file."""

import hashlib
from dataclasses import dataclass
from typing import Literal

from reknit.core.agent_reports.values import PlannedTask
from reknit.core.planning.intent import Cap, Constraint

PLANS = ".reknit/plans"
INDEX = f"{PLANS}/index.md"

PlanStatus = Literal["current", "provisional", "fallback"]
"""Variants run only on a current plan; a person makes a provisional one current by accepting it."""


@dataclass(frozen=True)
class PlannedCriterion:
    """An acceptance criterion with its last result."""

    text: str
    result: str = ""
    """`passed: …`, `failed: …` or `unverified: …`, from the last run; empty: it has not been checked."""


@dataclass(frozen=True)
class PlanFile:
    """A plan, as its Markdown file has it."""

    title: str
    updated: str
    """`2026-11-17`."""
    status: PlanStatus
    variant_recommendation: str
    confidence_0_100: int
    domain: str = ""
    variant_alternate: str = ""
    """Empty: none."""
    topic: str = ""
    as_of: str = ""
    cap: Cap = "no cap"
    grants: tuple[str, ...] = ()
    limits: tuple[Constraint, ...] = ()
    """Limits that every run on the plan keeps, as `max_usd: 5`; the cap is not among them."""
    constraints: tuple[str, ...] = ()
    """Limits in a person's own words, which only a person checks."""
    tasks: tuple[PlannedTask, ...] = ()
    criteria: tuple[PlannedCriterion, ...] = ()
    context: str = ""
    plan: str = ""
    tradeoffs: str = ""
    methodology: str = ""


@dataclass(frozen=True)
class PlanProblem:
    """A problem in a plan file, with its line and what to do about it."""

    line: int
    message: str
    help: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}; {self.help}"


def plan_path(topic: str) -> str:
    """Return the path of a plan from the top of the repository."""
    return f"{PLANS}/{plan_name(topic)}"


def plan_name(topic: str) -> str:
    """Return the file name of a plan."""
    return f"{topic}-advisor.md"


def digest(text: str) -> str:
    """Return the SHA-256 of a text in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
