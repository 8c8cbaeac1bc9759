"""The `fix tests` capability for shared code: its texts for people, and its state as a document."""

from collections.abc import Mapping, Sequence

from reknit.core.agents.strategy import ESCALATION
from reknit.core.attempt_text import describe_attempt, list_refusals
from reknit.core.bug_state import STRATEGY_NAMES, BugAttempt, BugState, BugStatus, find_error
from reknit.core.capability import Capability, StoredRun
from reknit.core.checks.criteria import CRITERIA_DOCUMENT, add_criteria, get_criteria_document, render_criteria
from reknit.core.fix_tests.task import FixTests
from reknit.core.runs.receipt import render_checks, render_tests
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import AttemptView, RunView, describe_spending, get_task
from reknit.core.testing.command import to_command_line
from reknit.core.text.format import (
    format_seconds,
    join_and_count,
    pluralize,
    render_field,
    to_one_line,
)

_STATUS: Mapping[str | None, BugStatus] = {None: "in_progress", "FIXED": "FIXED", "CLEAN": "FIXED"}
"""Ending -> status of the bug. After any other ending it is DEFERRED, and `last_error` says why."""


def build_state_document(stored: StoredRun) -> dict[str, object]:
    """Return the run as the state of a bug. Without a bug's id, the id of the run is used."""
    run, attempts = stored.run, stored.attempts
    status = _STATUS.get(run.ending, "DEFERRED")
    return BugState(
        bug_id=str(get_task(run).get("bug") or run.id),
        test_path=" ".join(_list_named_tests(run)),
        attempt=len(attempts),
        max_attempts=_find_attempt_limit(run),
        status=status,
        strategy=_name_strategy(attempts[-1].strategy if attempts else ESCALATION[0]),
        last_error="" if status == "FIXED" else _find_last_error(run, attempts),
        history=tuple(
            BugAttempt(attempt.number, _name_strategy(attempt.strategy), describe_attempt(attempt))
            for attempt in attempts
            if attempt.ended_at
        ),
    ).to_document()


def _list_named_tests(run: RunView) -> Sequence[str]:
    names = get_task(run).get("named_tests")
    return [str(name) for name in names] if isinstance(names, list | tuple) else []


def _find_attempt_limit(run: RunView) -> int:
    limits = run.spec.get("limits")
    return int(limits["attempts"]) if isinstance(limits, Mapping) else len(ESCALATION)


def _find_last_error(run: RunView, attempts: Sequence[AttemptView]) -> str:
    ended = [attempt for attempt in attempts if attempt.ended_at]
    sentence = run.reason if run.ending else describe_attempt(ended[-1]) if ended else ""
    proof = ended[-1].proof if ended else None
    return find_error(str(proof.get("output_tail") or ""), sentence) if proof else sentence


def _name_strategy(strategy: str) -> str:
    return STRATEGY_NAMES.get(strategy, strategy)


def render_heading(spec: RunSpec) -> list[str]:
    """Render the first line of a run: its agents and limits."""
    cap = f"at most {pluralize(spec.limits.attempts, 'attempt')} per test and ${spec.limits.budget_usd:.2f}"
    bug = f"{name}: " if (name := spec.task_as(FixTests).bug) else ""
    return [f"{spec.run_id}  {bug}{', then '.join(agent.name for agent in spec.agents)}, {cap}"]


def render_limits(spec: RunSpec, unready: Sequence[str], width: int) -> list[str]:
    """Render what a run would do, and its limits, for `--dry-run`."""
    named = spec.task_as(FixTests).named_tests
    agents = ", then ".join(agent.name for agent in spec.agents)
    calls = f"{pluralize(spec.limits.attempts, 'attempt')} for each cause of red tests"
    rows = (
        ("tests", spec.test_commands),
        ("repairs", join_and_count([*map(to_one_line, named)], 10) if named else "every red test"),
        ("who", agents + (f"; cannot start: {', '.join(unready)}" if unready else "")),
        ("cost", f"at most ${spec.limits.budget_usd:.2f} in all; at most {calls}"),
        ("time", f"at most {format_seconds(spec.limits.timeout_s)} of work"),
    )
    first = f"{spec.base[:7]}: nothing was started and no model was called"
    return [first, *(line for label, text in rows for line in render_field(f"{label:<8}", text, width))]


def build_limits_document(spec: RunSpec, unready: Sequence[str]) -> dict[str, object]:
    """Return the same as a document."""
    return {
        "schema": 1, "event": "dry_run", "base": spec.base, "tests": [to_command_line(one) for one in spec.projects],
        "named_tests": list(spec.task_as(FixTests).named_tests), "agents": [agent.name for agent in spec.agents],
        "unready": list(unready), "attempts": spec.limits.attempts, "highest_cost_usd": spec.limits.budget_usd,
        "timeout_s": spec.limits.timeout_s,
    }  # fmt: skip


def render_ending(stored: StoredRun, width: int) -> str:
    """Render the ending of a run: counts, reason, commits and next steps."""
    run, receipts = stored.run, stored.receipts
    fixed_count, left_count = _count_entries(run, "fixed"), _count_entries(run, "left")
    took = format_seconds((run.ended_at or run.created_at) - run.created_at)
    share = f"  {fixed_count} of {fixed_count + left_count}" if fixed_count + left_count else ""
    cost = describe_spending(run)
    bug = f"  {name}" if (name := get_task(run).get("bug")) else ""
    lines = [f"{run.ending}{bug}{share}   {pluralize(len(stored.attempts), 'attempt')}, {took}, {cost}"]
    if run.ending != "FIXED" or "left out" in run.reason:
        lines += render_field("why", to_one_line(run.reason), width)
    for receipt in receipts:
        lines += render_field("fixed", f"{render_tests(receipt)} in {str(receipt['commit'])[:7]}", width)
    if receipts:
        lines += render_field("proof", describe_proof(receipts), width)
    uses = [entries for receipt in receipts if isinstance(entries := receipt.get("allowed"), list | tuple)]
    for use in dict.fromkeys(str(use) for entries in uses for use in entries):
        lines += render_field("allowed", to_one_line(use), width)
    refused = [attempt for attempt in stored.attempts if list_refusals(attempt)]
    for attempt in refused[:_REFUSALS_SHOWN]:
        lines += render_field("tried", f"attempt {attempt.number} was {describe_attempt(attempt)}", width)
    more = f"and {len(refused) - _REFUSALS_SHOWN} more: reknit show {run.id}"
    lines += render_field("", more, width) if len(refused) > _REFUSALS_SHOWN else []
    return "\n".join(lines)


_REFUSALS_SHOWN = 3


def describe_proof(receipts: Sequence[Mapping[str, object]]) -> str:
    """Return one sentence on why the fixes may be believed."""
    tests = sum(len(tests) for receipt in receipts if isinstance(tests := receipt["tests"], list | tuple))
    subject = "it" if tests == 1 else f"the {tests} tests"
    fails = "fails" if tests == 1 else "fail"
    by = ", judged by the exit code alone" if any(receipt["evidence"] == "exit code" for receipt in receipts) else ""
    answers = [lines for receipt in receipts if isinstance(lines := receipt.get("checks"), list | tuple)]
    held_count = sum(" held" in str(line) for lines in answers for line in lines)
    checks = f"; {pluralize(held_count, 'tamper check')} held" if held_count else ""
    return f"{subject} failed before, passed every time after, and {fails} again without the change{by}{checks}"


def render_receipt(receipt: Mapping[str, object]) -> list[str]:
    """Render the evidence in a receipt."""
    return [
        f"tests        {render_tests(receipt)}, seen by {receipt['evidence']}",
        f"red before   {to_one_line(str(receipt['red_before']))}",
        f"green after  {to_one_line(str(receipt['green_after']))}",
        f"red without  {receipt['red_without']}",
        *render_checks(receipt),
    ]


def _count_entries(run: RunView, key: str) -> int:
    entries = run.detail.get(key)
    return len(entries) if isinstance(entries, list | tuple) else 0


PHASES = {
    "set_up": "installs the dependencies",
    "observe": "runs the tests before any change",
    "recheck": "runs the test once more",
    "attempt": "the agent works",
    "wait_forge": "waits for the forge",
    "judge": "judges the change",
    "verify": "proves the change",
    "holdout": "another agent writes further cases",
    "record": "records the attempt",
    "land": "writes the commit",
    "finish": "ends",
}
"""Step -> what it does, for people."""
FIX_TESTS = Capability(
    kind="fix tests",
    lands="branch",
    runs_tests=True,
    phases=PHASES,
    heading=render_heading,
    documents=(CRITERIA_DOCUMENT,),
    ending_text=lambda stored, width: add_criteria(render_ending(stored, width), stored, width),
    show_lines=render_criteria,
    show_document=get_criteria_document,
    ending_document=get_criteria_document,
    receipt_lines=render_receipt,
    state_document=build_state_document,
)
