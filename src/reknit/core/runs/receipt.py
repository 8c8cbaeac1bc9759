"""The receipt: the evidence kept for a fix, enough to re-check every claim it makes."""

from collections.abc import Mapping
from dataclasses import dataclass

from reknit.core.gate.verdict import GateVerdict, advice_lines
from reknit.core.gate.waiver import use_text
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.core.testing.made_runs import MadeRun
from reknit.core.testing.projects.find import project_of
from reknit.core.text.format import counted, first_and_more, one_line


@dataclass(frozen=True, kw_only=True)
class LandedFix:
    """What a loop knows about a fix that it landed."""

    finding: str
    tests: tuple[str, ...]
    """Test ids that were red and are green now."""
    base: str
    commit: str
    attempt: int
    strategy: str
    agent: str
    evidence: str
    """How the tests were seen: junit or exit code."""
    red_before: str = ""
    green_after: str
    red_without: str = ""
    cost_usd: float
    judged: str = ""
    """For a run on the backlog: the verdict of a challenger of another vendor, or why there is none."""
    ran: tuple[MadeRun, ...] = ()
    """The test runs behind it, those before the change first."""
    checks: tuple[str, ...] = ()
    """What the tamper checks said: `twins held: …`."""
    holdout: str = ""
    """What further cases of another vendor showed, or why there are none; empty if nobody was to be asked."""
    tools: tuple[str, ...] = ()
    """For a run on the backlog: what tools fixed without an agent, and what they no longer report."""


@dataclass(frozen=True, kw_only=True)
class Receipt(LandedFix):
    tree: str
    gate: str
    rules: tuple[str, ...]
    box: str
    command: tuple[str, ...]
    allowed: tuple[str, ...] = ()
    """What a person allowed: the rule, the file, where and why."""
    advice: tuple[str, ...] = ()
    """What rules of the gate only suspect. It did not refuse the change, because a check of its behaviour held."""


def named_tests(receipt: Mapping[str, object]) -> str:
    """The first tests that a stored receipt names."""
    tests = receipt["tests"]
    if not isinstance(tests, list | tuple):
        return str(tests)
    return first_and_more([one_line(str(test)) for test in tests])


def checked_lines(receipt: Mapping[str, object]) -> list[str]:
    """What the tamper checks and a hold-out said of a stored fix; nothing for one that an older release landed."""
    checks, holdout = receipt.get("checks"), receipt.get("holdout")
    lines = [f"checked      {one_line(str(each))}" for each in checks] if isinstance(checks, list | tuple) else []
    return [*lines, f"hold-out     {one_line(str(holdout))}"] if holdout else lines


def _command(fix: LandedFix, spec: RunSpec) -> TestCommand:
    found = (project_of(test, spec.projects) for test in fix.tests)
    return next((project for project in found if project), spec.tests)


def receipt_of(fix: LandedFix, tree: str, spec: RunSpec, gate: GateVerdict) -> Receipt:
    refused = f"{counted(len(gate.allowed), 'refusal')} allowed by a person" if gate.allowed else "none refused"
    return Receipt(
        **vars(fix),
        tree=tree,
        gate=f"{gate.files} file(s), +{gate.added} -{gate.removed}; {len(gate.rules)} rules, {refused}",
        rules=gate.rules,
        box=spec.box,
        command=_command(fix, spec).argv,
        allowed=tuple(map(use_text, gate.allowed)),
        advice=advice_lines(gate.advice),
    )
