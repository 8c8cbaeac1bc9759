"""Stored runs, as text for people and as documents for programs."""

from collections.abc import Mapping, Sequence

from reknit.core.attempt_text import attempt_result, is_iteration, refusals_of
from reknit.core.capabilities import capability_of
from reknit.core.capability import Capability, StoredRun
from reknit.core.runs.event import Event
from reknit.core.runs.view import AttemptView, EventView, RunView, beside_clean
from reknit.core.testing.made_runs import run_lines
from reknit.core.text.format import one_line
from reknit.core.text.layout import field
from reknit.core.text.redact import clean

SCHEMA = 1
_GIVING_WAY = ("cost", "where", "when", "kind")
_LEAST_STANDING = 24
_SIGNS = {"ok": "ok  ", "bad": "bad ", "..": "..  ", "wait": "wait", "note": "    "}


def event_line(event: Event) -> str:
    return f"  {_SIGNS[event.mark]}  {event.label:<11} {event.text}".rstrip()


def event_document(seen: EventView) -> dict[str, object]:
    return {
        "schema": SCHEMA, "event": seen.event.kind, "run": seen.run_id, "at": round(seen.at, 3), **seen.event.data,
    }  # fmt: skip


def headline(run: RunView) -> str:
    """One line: what the run is, or how it ended."""
    if run.ending:
        undone = ", undone" if run.undone_at else ""
        unseen = f"{beside}; " if (beside := beside_clean(run)) else ""
        return f"{run.ending}{undone}  {unseen}{one_line(run.reason)}"
    if run.state == "waiting":
        return f"waiting  {run.reason}"
    if run.state == "left":
        return f"left by a worker that died{at_step(run)}: `reknit resume {run.id}`"
    if run.state == "interrupted":
        why = f", {one_line(run.reason)}" if run.reason else ""
        return f"interrupted{at_step(run)}{why}: `reknit resume {run.id}`"
    step = "step " if run.phase and not capability_of(run.kind).phases else ""
    return f"{run.state}  {step}{doing(run)}".rstrip()


def doing(run: RunView) -> str:
    """Empty: no step has begun."""
    return capability_of(run.kind).phases.get(run.phase, run.phase)


def at_step(run: RunView) -> str:
    if not run.phase:
        return " before its first step"
    return f" ({doing(run)})" if capability_of(run.kind).phases else f" at step {run.phase}"


def run_line(run: RunView, when: str, where: str, width: int) -> str:
    """One line of a list. The state matters most, so other cells are dropped to fit it; `width` 0: no limit."""
    cells = {"id": run.id, "when": when, "kind": f"{run.kind:<10}", "where": f"{one_line(where):<16}"}
    cells["cost"] = f"${run.spent_usd:<6.2f}"
    told = headline(run)
    least = min(len(told.partition("  ")[0]), _LEAST_STANDING)
    for less in _GIVING_WAY:
        if width and len("  ".join(cells.values())) + 2 + least > width:
            del cells[less]
    line = "  ".join((*cells.values(), told))
    return line if not width or len(line) <= width else f"{line[: width - 1]}…"


def ending_text(stored: StoredRun, width: int = 0) -> str:
    """`width` of the terminal, 0 if there is none."""
    ending = capability_of(stored.run.kind).ending_text(stored, width)
    beside = beside_clean(stored.run)
    return clean("\n".join([*(field("note", beside, width) if beside else ()), ending]))


def ending_document(stored: StoredRun, exit_code: int) -> dict[str, object]:
    more = capability_of(stored.run.kind).ending_document(stored)
    return {"schema": SCHEMA, "event": "ending", "exit_code": exit_code, **run_document(stored), **more}


def show_document(stored: StoredRun) -> dict[str, object]:
    return {"schema": SCHEMA, **run_document(stored), **capability_of(stored.run.kind).show_document(stored)}


def run_document(stored: StoredRun) -> dict[str, object]:
    run, receipts = stored.run, stored.receipts
    has_branch = run.commit and not run.undone_at and capability_of(run.kind).lands == "branch"
    return {
        "run": run.id, "kind": run.kind, "state": run.state, "phase": run.phase, "ending": run.ending,
        "reason": run.reason, "cause": run.detail.get("cause", ""), "until": run.until,
        "repository": run.repository, "base": run.base, "agent": run.agent,
        "commit": run.commit, "branch": f"reknit/{run.id}" if has_branch else None,
        "spent_usd": run.spent_usd, "budget_usd": run.budget_usd, "created_at": run.created_at,
        "ended_at": run.ended_at, "undone_at": run.undone_at, "fixed": run.detail.get("fixed", []),
        "left": run.detail.get("left", []), "attempts": [attempt_document(attempt) for attempt in stored.attempts],
        "receipt": receipts[0] if receipts else None, "receipts": list(receipts),
        "not_looked_at": beside_clean(run), "uncommitted": run.spec.get("uncommitted", []),
        "uncommitted_count": run.spec.get("uncommitted_count", 0),
    }  # fmt: skip


def attempt_document(attempt: AttemptView) -> dict[str, object]:
    proof = attempt.proof or {}
    return {
        "attempt": attempt.number, "finding": attempt.finding, "test": attempt.subject, "strategy": attempt.strategy,
        "outcome": attempt.outcome, "starts": attempt.starts, "refusals": list(refusals_of(attempt)),
        "proof": proof.get("word"), "verified": proof.get("sentence"), "cost_usd": attempt.cost_usd,
        "tokens": attempt.tokens,
    }  # fmt: skip


def attempt_line(attempt: AttemptView) -> str:
    again = f", started {attempt.starts} times" if attempt.starts > 1 else ""
    about = attempt.finding if attempt.finding.startswith("T-") else one_line(attempt.subject)
    return f"  attempt {attempt.number}  {attempt.strategy:<7} {about}  {attempt_result(attempt)}{again}"


def show_text(stored: StoredRun, width: int = 0) -> str:
    run, capability = stored.run, capability_of(stored.run.kind)
    lines = [
        f"{run.id}  {run.kind}  {headline(run)}",
        f"  in      {run.repository} at {run.base[:7]}",
        f"  agent   {capability.agent_names(run)}, ${run.spent_usd:.2f} of ${run.budget_usd:.2f} spent",
        *capability.show_lines(stored, width),
        *(attempt_line(attempt) for attempt in stored.attempts),
    ]
    if stored.attempts:
        lines.append(f"  diff    reknit show {run.id} --attempt {stored.attempts[-1].number}")
    for receipt in stored.receipts:
        about = str(receipt["finding"])
        name = f"of iteration {about[1:]}" if is_iteration(about) else about
        lines += [f"  receipt {name}", *(f"    {line}" for line in _receipt_lines(receipt, capability))]
    return clean("\n".join(lines))


def _receipt_lines(receipt: Mapping[str, object], capability: Capability) -> list[str]:
    commit, tree = str(receipt["commit"])[:12], str(receipt["tree"])[:12]
    ran = run_lines(receipt.get("ran"))
    return [
        f"commit       {commit} (tree {tree}) on top of {str(receipt['base'])[:12]}",
        *capability.receipt_lines(receipt),
        *(f"{'' if number else 'tests ran':<11}  {line}" for number, line in enumerate(ran)),
        f"gate         {receipt['gate']}",
        *(f"allowed      {one_line(str(use))}" for use in _listed(receipt.get("allowed"))),
        *(f"suspected    {one_line(str(each))}" for each in _listed(receipt.get("advice"))),
        f"made by      {receipt['agent']}, attempt {receipt['attempt']} ({receipt['strategy']}), in {receipt['box']}",
    ]


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else ()


def explain_text(stored: StoredRun, events: Sequence[EventView], width: int = 0) -> str:
    """Everything behind the ending: what was run, what was seen, and the reason for each decision."""
    run, capability = stored.run, capability_of(stored.run.kind)
    lines = [f"{run.id}  {headline(run)}", f"  in      {run.repository} at {run.base[:12]}"]
    tests = run.spec.get("tests")
    if isinstance(tests, Mapping) and capability.runs_tests:
        lines.append(f"  tests   {' '.join(tests['argv'])}   (from {tests['origin'] or 'the configuration'})")
    lines += capability.explain_lines(stored, width)
    for seen in events:
        tail = str(seen.event.data.get("output_tail") or "").strip()
        lines += [event_line(seen.event), *(f"        | {line}" for line in tail.splitlines()[-20:])]
    for attempt in stored.attempts:
        lines += [
            f"  attempt {attempt.number} refused [{refusal['rule']}] {refusal['path']}: {refusal['sentence']}"
            for refusal in refusals_of(attempt)
        ]
        tail = str((attempt.proof or {}).get("output_tail") or "").strip()
        if tail:
            lines += [f"  attempt {attempt.number} output:", *(f"    | {line}" for line in tail.splitlines()[-20:])]
    return clean("\n".join(lines))
