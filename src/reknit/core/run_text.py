"""Renders stored runs, as text for people and as documents for programs."""

from collections.abc import Mapping, Sequence

from reknit.core.attempt_text import describe_attempt, is_iteration, list_refusals
from reknit.core.capabilities import find_capability
from reknit.core.capability import Capability, StoredRun
from reknit.core.next_steps import list_next_steps
from reknit.core.runs.event import Event
from reknit.core.runs.receipt import render_entries
from reknit.core.runs.spending import format_maximum
from reknit.core.runs.view import (
    AttemptView,
    EventView,
    RunView,
    describe_spending,
    get_plan_topic,
    get_task,
    get_uncommitted,
    warn_beside_clean,
)
from reknit.core.testing.proof import render_runs
from reknit.core.text.diff_text import render_diff
from reknit.core.text.format import render_field, render_line, to_one_line
from reknit.core.text.redact import clean

SCHEMA = 1
_CELLS_TO_DROP = ("cost", "where", "when", "kind")
"""Cells of a list that give room to the state on a narrow terminal, in this order."""
_MAX_STATE_WIDTH = 24
"""Columns that are kept for the state at most; a longer one is cut."""
_MARKS = {"ok": "ok  ", "bad": "bad ", "..": "..  ", "wait": "wait", "note": "    "}


def render_event(event: Event) -> str:
    """Return an event as one line of the progress."""
    return f"  {_MARKS[event.mark]}  {event.label:<11} {event.text}".rstrip()


def build_event_document(view: EventView) -> dict[str, object]:
    """Return an event as a JSON document."""
    return {
        "schema": SCHEMA, "event": view.event.kind, "run": view.run_id, "at": round(view.at, 3), **view.event.data,
    }  # fmt: skip


def render_headline(run: RunView) -> str:
    """Return one line: the state of the run, or its ending."""
    if run.ending:
        undone = ", undone" if run.undone_at else ""
        warning = f"{text}; " if (text := warn_beside_clean(run)) else ""
        plan = f"plan {topic}" if (topic := get_plan_topic(run)) else ""
        name = f"{name}: " if (name := get_task(run).get("bug") or plan) else ""
        return f"{run.ending}{undone}  {name}{warning}{to_one_line(run.reason)}"
    if run.state == "waiting":
        return f"waiting  {run.reason}"
    if run.state == "left":
        return f"left by a worker that died{describe_place(run)}: `reknit resume {run.id}`"
    if run.state == "interrupted":
        why = f", {to_one_line(run.reason)}" if run.reason else ""
        return f"interrupted{describe_place(run)}{why}: `reknit resume {run.id}`"
    step = "step " if run.phase and not find_capability(run.kind).phases else ""
    return f"{run.state}  {step}{describe_step(run)}".rstrip()


def describe_step(run: RunView) -> str:
    """Return the current step in words; empty if no step has begun."""
    return find_capability(run.kind).phases.get(run.phase, run.phase)


def describe_place(run: RunView) -> str:
    """Return where an interrupted run stopped."""
    if not run.phase:
        return " before its first step"
    return f" ({describe_step(run)})" if find_capability(run.kind).phases else f" at step {run.phase}"


def render_run_line(run: RunView, when: str, where: str, width: int) -> str:
    """Return one line of a list. Cells are dropped if the state would not fit. `width` 0: no limit."""
    cells = {"id": run.id, "when": when, "kind": f"{run.kind:<10}", "where": f"{to_one_line(where):<16}"}
    reserved = f" up to {format_maximum(run.held_usd)} more" if run.held_usd else ""
    cells["cost"] = f"${run.spent_usd:<6.2f}{reserved}"
    headline = render_headline(run)
    state_width = min(len(headline.partition("  ")[0]), _MAX_STATE_WIDTH)
    for name in _CELLS_TO_DROP:
        if width and len("  ".join(cells.values())) + 2 + state_width > width:
            del cells[name]
    line = "  ".join((*cells.values(), headline))
    return line if not width or len(line) <= width else f"{line[: width - 1]}…"


def render_ending(stored: StoredRun, width: int = 0, diff: str = "") -> str:
    """Return the ending for people. `width`: of the terminal; 0: there is none. `diff`: the change that landed."""
    ending = find_capability(stored.run.kind).ending_text(stored, width)
    warning = warn_beside_clean(stored.run)
    lines = [*(render_field("note", warning, width) if warning else ()), ending]
    if diff:
        lines += ["", *render_diff(diff, f"reknit show {stored.run.id} --diff", width=width), ""]
    return clean("\n".join([*lines, *(f"  {label:<6}  {command}" for label, command in list_next_steps(stored))]))


def build_ending_document(stored: StoredRun, exit_code: int) -> dict[str, object]:
    """Return the ending as a JSON document."""
    fields_of_kind = find_capability(stored.run.kind).ending_document(stored)
    return {"schema": SCHEMA, "event": "ending", "exit_code": exit_code, **build_run_document(stored), **fields_of_kind}


def build_show_document(stored: StoredRun) -> dict[str, object]:
    """Return the run as `reknit show` prints it in JSON."""
    return {"schema": SCHEMA, **build_run_document(stored), **find_capability(stored.run.kind).show_document(stored)}


def build_run_document(stored: StoredRun) -> dict[str, object]:
    """Return the fields that every JSON document about a run has."""
    run, receipts = stored.run, stored.receipts
    has_branch = run.commit and not run.undone_at and find_capability(run.kind).lands == "branch"
    return {
        "run": run.id, "kind": run.kind, "state": run.state, "phase": run.phase, "ending": run.ending,
        "reason": run.reason, "cause": run.detail.get("cause", ""), "until": run.until,
        "repository": run.repository, "base": run.base, "agent": run.agent,
        "commit": run.commit, "branch": f"reknit/{run.id}" if has_branch else None,
        "spent_usd": run.spent_usd, "reserved_usd": run.held_usd, "budget_usd": run.budget_usd,
        "created_at": run.created_at, "ended_at": run.ended_at, "undone_at": run.undone_at,
        "fixed": run.detail.get("fixed", []), "left": run.detail.get("left", []),
        "attempts": [*map(build_attempt_document, stored.attempts)],
        "receipt": receipts[0] if receipts else None, "receipts": list(receipts),
        "not_looked_at": warn_beside_clean(run), "uncommitted": get_uncommitted(run).get("paths", []),
        "uncommitted_count": get_uncommitted(run).get("count", 0),
    }  # fmt: skip


def build_attempt_document(attempt: AttemptView) -> dict[str, object]:
    """Return one attempt as a JSON document."""
    proof = attempt.proof or {}
    return {
        "attempt": attempt.number, "finding": attempt.finding, "test": attempt.subject, "strategy": attempt.strategy,
        "outcome": attempt.outcome, "starts": attempt.starts, "refusals": list(list_refusals(attempt)),
        "proof": proof.get("word"), "verified": proof.get("sentence"), "cost_usd": attempt.cost_usd,
        "tokens": attempt.tokens,
    }  # fmt: skip


def render_attempt_line(attempt: AttemptView) -> str:
    """Return one attempt as a line."""
    again = f", started {attempt.starts} times" if attempt.starts > 1 else ""
    about = to_one_line(attempt.subject.rsplit("::", 1)[-1] if attempt.finding.startswith("T-") else attempt.subject)
    return f"  attempt {attempt.number}  {attempt.strategy:<7} {about}  {describe_attempt(attempt)}{again}"


def render_run(stored: StoredRun, width: int = 0) -> str:
    """Return the run as `reknit show` prints it."""
    run, capability = stored.run, find_capability(stored.run.kind)
    lines = [
        *render_line(f"{run.id}  ", f"{run.kind}  {render_headline(run)}", width),
        *render_field("in", f"{run.repository} at {run.base[:7]}", width),
        *render_field("agent", f"{capability.agent_names(run)}, {_describe_cost(run)}", width),
        *capability.show_lines(stored, width),
    ]
    for attempt in stored.attempts:
        lines += render_line("  ", render_attempt_line(attempt).strip(), width)
    if stored.attempts:
        lines.append(f"  diff    reknit show {run.id} --attempt {stored.attempts[-1].number}")
    for receipt in stored.receipts:
        about = str(receipt["finding"])
        name = f"of iteration {about[1:]}" if is_iteration(about) else about
        lines += [f"  receipt {name}", *(f"    {line}" for line in render_receipt(receipt, capability))]
    steps = [step for step in list_next_steps(stored) if step.command != f"reknit show {run.id}"] if run.ending else []
    lines += [f"  {label:<6}  {command}" for label, command in steps]
    return clean("\n".join(lines))


def _describe_cost(run: RunView) -> str:
    spending = describe_spending(run)
    return spending if run.held_usd else f"{spending} spent"


def render_receipt(receipt: Mapping[str, object], capability: Capability) -> list[str]:
    """Return the lines of a receipt."""
    commit, tree = str(receipt["commit"])[:12], str(receipt["tree"])[:12]
    ran = render_runs(receipt.get("ran"))
    return [
        f"commit       {commit} (tree {tree}) on top of {str(receipt['base'])[:12]}",
        *capability.receipt_lines(receipt),
        *(f"{'' if number else 'tests ran':<11}  {line}" for number, line in enumerate(ran)),
        f"gate         {receipt['gate']}",
        *render_entries("allowed", receipt.get("allowed")),
        *render_entries("suspected", receipt.get("advice")),
        f"made by      {receipt['agent']}, attempt {receipt['attempt']} ({receipt['strategy']}), in {receipt['box']}",
    ]


def render_explanation(stored: StoredRun, events: Sequence[EventView], width: int = 0) -> str:
    """Return everything behind the ending: each test run, each observation, the reason for each decision."""
    run, capability = stored.run, find_capability(stored.run.kind)
    lines = [f"{run.id}  {render_headline(run)}", f"  in      {run.repository} at {run.base[:12]}"]
    tests = run.spec.get("tests")
    if isinstance(tests, Mapping) and capability.runs_tests:
        lines.append(f"  tests   {' '.join(tests['argv'])}   (from {tests['origin'] or 'the configuration'})")
    lines += capability.explain_lines(stored, width)
    for view in events:
        tail = str(view.event.data.get("output_tail") or "").strip()
        lines += [render_event(view.event), *(f"        | {line}" for line in tail.splitlines()[-20:])]
    for attempt in stored.attempts:
        lines += [
            f"  attempt {attempt.number} refused [{refusal['rule']}] {refusal['path']}: {refusal['sentence']}"
            for refusal in list_refusals(attempt)
        ]
        tail = str((attempt.proof or {}).get("output_tail") or "").strip()
        if tail:
            lines += [f"  attempt {attempt.number} output:", *(f"    | {line}" for line in tail.splitlines()[-20:])]
    return clean("\n".join(lines))
