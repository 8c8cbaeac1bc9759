"""Makes the receipt of a fix: the evidence with which anyone can check its claims again."""

from collections.abc import Mapping
from dataclasses import dataclass

from reknit.core.gate.verdict import GateVerdict, render_advice
from reknit.core.gate.waiver import render_use
from reknit.core.projects.find import find_project
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.core.testing.proof import RunRecord
from reknit.core.text.format import join_and_count, pluralize, to_one_line


@dataclass(frozen=True, kw_only=True)
class LandedFix:
    """The facts that a loop knows about a fix that it landed."""

    finding: str
    tests: tuple[str, ...]
    """Test ids that were red and are green now."""
    base: str
    commit: str
    attempt: int
    strategy: str
    agent: str
    evidence: str
    """The source of the test results: junit or exit code."""
    red_before: str = ""
    green_after: str
    red_without: str = ""
    cost_usd: float
    judged: str = ""
    """For a run on the backlog: verdict of a challenger of another vendor, or why there is none."""
    ran: tuple[RunRecord, ...] = ()
    """The test runs that prove the fix, those before the change first."""
    checks: tuple[str, ...] = ()
    """Answers of the tamper checks: `twins held: …`."""
    holdout: str = ""
    """Result of the hold-out cases, or why there are none; empty: the run asked for none."""
    tools: tuple[str, ...] = ()
    """For a run on the backlog: what tools fixed without an agent, and what they no longer report."""


@dataclass(frozen=True, kw_only=True)
class Receipt(LandedFix):
    """The evidence for a landed fix, as it is stored."""

    tree: str
    gate: str
    rules: tuple[str, ...]
    box: str
    command: tuple[str, ...]
    allowed: tuple[str, ...] = ()
    """Waivers that were used: the rule, the file, its source and the reason."""
    advice: tuple[str, ...] = ()
    """Suspicions of the gate. It did not refuse the change, because a check of its behaviour held."""


def render_tests(receipt: Mapping[str, object]) -> str:
    """Return the first tests that a stored receipt names."""
    tests = receipt["tests"]
    if not isinstance(tests, list | tuple):
        return str(tests)
    return join_and_count([to_one_line(str(test)) for test in tests])


def render_checks(receipt: Mapping[str, object]) -> list[str]:
    """Return the answers of the tamper checks and the hold-out of a stored fix."""
    lines, holdout = render_entries("checked", receipt.get("checks")), receipt.get("holdout")
    return [*lines, f"hold-out     {to_one_line(str(holdout))}"] if holdout else lines


def render_entries(label: str, entries: object) -> list[str]:
    """Return a line for each entry of a list in a stored receipt; none if the receipt has no such list."""
    return [f"{label:<11}  {to_one_line(str(entry))}" for entry in entries] if isinstance(entries, list | tuple) else []


def _find_command(fix: LandedFix, spec: RunSpec) -> TestCommand:
    projects = (find_project(test, spec.projects) for test in fix.tests)
    return next((project for project in projects if project), spec.tests)


def make_receipt(fix: LandedFix, tree: str, spec: RunSpec, gate: GateVerdict) -> Receipt:
    """Return the receipt of a landed fix."""
    refused = f"{pluralize(len(gate.allowed), 'refusal')} allowed by a person" if gate.allowed else "none refused"
    return Receipt(
        **vars(fix),
        tree=tree,
        gate=f"{gate.files} file(s), +{gate.added} -{gate.removed}; {len(gate.rules)} rules, {refused}",
        rules=gate.rules,
        box=spec.box,
        command=_find_command(fix, spec).argv,
        allowed=tuple(map(render_use, gate.allowed)),
        advice=render_advice(gate.advice),
    )
