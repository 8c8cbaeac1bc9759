"""Stored runs, as text for people and as documents for programs."""

from collections.abc import Mapping, Sequence

from reknit.core.fix_issues import run_text as backlog_text
from reknit.core.fix_pr.output import run_text as pull_text
from reknit.core.fix_pr.output.record import Record
from reknit.core.runs.event import Event
from reknit.core.runs.view import AttemptView, EventView, RunView, beside_clean
from reknit.core.text.format import one_line, seconds
from reknit.core.text.layout import field
from reknit.core.text.redact import clean
from reknit.core.vote import run_text as vote_text
from reknit.core.vote.decision import Tally

SCHEMA = 1
TESTS_SHOWN = 3
_NONE = Record()
BACKLOG_PHASES = {
    "observe_issues": "runs the tests before any change",
    "work_issues": "an agent works on a batch",
    "judge_issues": "judges the change",
    "prove_issues": "runs the tests on the change",
    "record_issues": "records the attempt",
    "give_up_issues": "gives up on a batch",
    "challenge": "challenges the whole change",
    "plan_wait_issues": "waiting for an agent",
    "land_issues": "writes the commit",
    "settle_issues": "updates the issues",
    "finish_issues": "ends",
}
"""The steps of a backlog run, for people."""
_PHASES: Mapping[str, Mapping[str, str]] = {
    "fix pr": pull_text.PHASES,
    "fix issues": BACKLOG_PHASES,
    "vote": vote_text.PHASES,
}
"""Kinds of runs whose steps have descriptions for people."""
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
    step = "" if run.kind in _PHASES or not run.phase else "step "
    return f"{run.state}  {step}{doing(run)}".rstrip()


def doing(run: RunView) -> str:
    """Empty: no step has begun."""
    return _PHASES.get(run.kind, {}).get(run.phase, run.phase)


def at_step(run: RunView) -> str:
    if not run.phase:
        return " before its first step"
    return f" ({doing(run)})" if run.kind in _PHASES else f" at step {run.phase}"


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


def ending_text(
    run: RunView, attempts: Sequence[AttemptView], receipts: Sequence[Mapping[str, object]],
    record: Record = _NONE, width: int = 0, tally: Tally | None = None,
) -> str:  # fmt: skip
    """`record` belongs to a `fix pr` run, `tally` to a vote; `width` of the terminal, 0 if there is none."""
    told = _ending_text(run, attempts, receipts, record, width, tally)
    return clean("\n".join([*field("note", beside, width), told])) if (beside := beside_clean(run)) else told


def _ending_text(
    run: RunView, attempts: Sequence[AttemptView], receipts: Sequence[Mapping[str, object]], record: Record,
    width: int, tally: Tally | None,
) -> str:  # fmt: skip
    if run.kind == "vote":
        return vote_text.ending_text(run, tally, width)
    if run.kind == "fix pr":
        return pull_text.ending_text(run, len(attempts), record, width)
    if run.kind == "fix issues":
        return clean("\n".join(backlog_text.ending_lines(run, receipts, len(attempts), width)))
    fixed, left = _count(run, "fixed"), _count(run, "left")
    took = seconds((run.ended_at or run.created_at) - run.created_at)
    of = f"  {fixed} of {fixed + left}" if fixed + left else ""
    lines = [f"{run.ending}{of}   {len(attempts)} attempt(s), {took}, ${run.spent_usd:.2f} of ${run.budget_usd:.2f}"]
    if run.ending != "FIXED":
        lines += field("why", one_line(run.reason), width)
    lines += [
        f"  commit  {str(receipt['commit'])[:7]} on reknit/{run.id}   {_tests(receipt)}   ({receipt['evidence']})"
        for receipt in receipts
    ]
    landed = (f"git merge reknit/{run.id}", f"reknit undo {run.id}") if receipts else ()
    steps = (f"reknit {'show' if receipts else 'explain'} {run.id}", *landed)
    lines += [f"  {'next' if number == 0 else '':<6}  {step}" for number, step in enumerate(steps)]
    return clean("\n".join(lines))


def ending_document(
    run: RunView, attempts: Sequence[AttemptView], receipts: Sequence[Mapping[str, object]], exit_code: int
) -> dict[str, object]:
    return {"schema": SCHEMA, "event": "ending", "exit_code": exit_code, **run_document(run, attempts, receipts)}


def run_document(
    run: RunView, attempts: Sequence[AttemptView], receipts: Sequence[Mapping[str, object]]
) -> dict[str, object]:
    has_branch = run.commit and not run.undone_at and run.kind != "fix pr"
    return {
        "run": run.id, "kind": run.kind, "state": run.state, "phase": run.phase, "ending": run.ending,
        "reason": run.reason, "until": run.until, "repository": run.repository, "base": run.base, "agent": run.agent,
        "commit": run.commit, "branch": f"reknit/{run.id}" if has_branch else None,
        "spent_usd": run.spent_usd, "budget_usd": run.budget_usd, "created_at": run.created_at,
        "ended_at": run.ended_at, "undone_at": run.undone_at, "fixed": run.detail.get("fixed", []),
        "left": run.detail.get("left", []), "attempts": [attempt_document(attempt) for attempt in attempts],
        "receipt": receipts[0] if receipts else None, "receipts": list(receipts),
        "not_looked_at": beside_clean(run), "uncommitted": run.spec.get("uncommitted", []),
        "uncommitted_count": run.spec.get("uncommitted_count", 0),
    }  # fmt: skip


def attempt_document(attempt: AttemptView) -> dict[str, object]:
    proof = attempt.proof or {}
    return {
        "attempt": attempt.number, "finding": attempt.finding, "test": attempt.subject, "strategy": attempt.strategy,
        "outcome": attempt.outcome, "starts": attempt.starts, "refusals": list(_refusals(attempt)),
        "proof": proof.get("word"), "verified": proof.get("sentence"), "cost_usd": attempt.cost_usd,
        "tokens": attempt.tokens,
    }  # fmt: skip


def attempt_line(attempt: AttemptView) -> str:
    again = f", started {attempt.starts} times" if attempt.starts > 1 else ""
    about = attempt.finding if attempt.finding.startswith("T-") else one_line(attempt.subject)
    return f"  attempt {attempt.number}  {attempt.strategy:<7} {about}  {_result(attempt)}{again}"


def _is_iteration(name: str) -> bool:
    """`i3`: the attempt covered everything that iteration 3 of a `fix pr` run found."""
    return name.startswith("i") and name[1:].isdigit()


def _result(attempt: AttemptView) -> str:
    refusals = _refusals(attempt)
    if refusals:
        return f"refused [{refusals[0]['rule']}]: {one_line(refusals[0]['sentence'])}"
    if attempt.proof and _is_iteration(attempt.finding):
        landed = attempt.proof["word"] in ("proven", "held")
        return f"{'' if landed else 'not pushed: '}{one_line(str(attempt.proof['sentence']))}"
    if attempt.proof:
        return f"{attempt.proof['word']}: {one_line(str(attempt.proof['sentence']))}"
    return attempt.outcome or "not finished"


def _refusals(attempt: AttemptView) -> Sequence[Mapping[str, str]]:
    found = (attempt.gate or {}).get("refusals")
    return found if isinstance(found, list) else ()


def show_text(
    run: RunView,
    attempts: Sequence[AttemptView],
    receipts: Sequence[Mapping[str, object]],
    more: Sequence[str] = (),
) -> str:
    """`more`: further lines specific to the kind of run."""
    lines = [
        f"{run.id}  {run.kind}  {headline(run)}",
        f"  in      {run.repository} at {run.base[:7]}",
        f"  agent   {_agents(run)}, ${run.spent_usd:.2f} of ${run.budget_usd:.2f} spent",
        *more,
        *(attempt_line(attempt) for attempt in attempts),
    ]
    if attempts:
        lines.append(f"  diff    reknit show {run.id} --attempt {attempts[-1].number}")
    for receipt in receipts:
        about = str(receipt["finding"])
        name = f"of iteration {about[1:]}" if _is_iteration(about) else about
        lines += [f"  receipt {name}", *(f"    {line}" for line in receipt_lines(receipt))]
    return clean("\n".join(lines))


def receipt_lines(receipt: Mapping[str, object]) -> list[str]:
    commit, tree = str(receipt["commit"])[:12], str(receipt["tree"])[:12]
    if receipt["finding"] == backlog_text.RECEIPT:
        seen = [f"issues       {_tests(receipt)}", f"tests        {receipt['green_after']}"]
        seen += [f"judged       {receipt['judged']}"]
    elif _is_iteration(str(receipt["finding"])):  # it is not yet verified that what was asked is fixed
        seen = [f"asked about  {_tests(receipt)}", f"before       {receipt['red_without']}"]
        seen += [f"after        {one_line(str(receipt['green_after']))}"]
    else:
        seen = [
            f"tests        {_tests(receipt)}, seen by {receipt['evidence']}",
            f"red before   {one_line(str(receipt['red_before']))}",
            f"green after  {one_line(str(receipt['green_after']))}",
            f"red without  {receipt['red_without']}",
        ]
    return [
        f"commit       {commit} (tree {tree}) on top of {str(receipt['base'])[:12]}",
        *seen,
        f"gate         {receipt['gate']}",
        f"made by      {receipt['agent']}, attempt {receipt['attempt']} ({receipt['strategy']}), in {receipt['box']}",
    ]


def explain_text(
    run: RunView, attempts: Sequence[AttemptView], events: Sequence[EventView], more: Sequence[str] = ()
) -> str:
    """Everything behind the ending: what was run, what was seen, and the reason for each decision."""
    lines = [f"{run.id}  {headline(run)}", f"  in      {run.repository} at {run.base[:12]}"]
    tests = run.spec.get("tests")
    if isinstance(tests, Mapping) and run.kind != "vote":
        lines.append(f"  tests   {' '.join(tests['argv'])}   (from {tests['origin'] or 'the configuration'})")
    lines += more
    for seen in events:
        tail = str(seen.event.data.get("output_tail") or "").strip()
        lines += [event_line(seen.event), *(f"        | {line}" for line in tail.splitlines()[-20:])]
    for attempt in attempts:
        lines += [
            f"  attempt {attempt.number} refused [{refusal['rule']}] {refusal['path']}: {refusal['sentence']}"
            for refusal in _refusals(attempt)
        ]
        tail = str((attempt.proof or {}).get("output_tail") or "").strip()
        if tail:
            lines += [f"  attempt {attempt.number} output:", *(f"    | {line}" for line in tail.splitlines()[-20:])]
    return clean("\n".join(lines))


def _tests(receipt: Mapping[str, object]) -> str:
    tests = receipt["tests"]
    if not isinstance(tests, list | tuple):
        return str(tests)
    more = f" and {len(tests) - TESTS_SHOWN} more" if len(tests) > TESTS_SHOWN else ""
    return ", ".join(one_line(str(test)) for test in tests[:TESTS_SHOWN]) + more


def _count(run: RunView, key: str) -> int:
    found = run.detail.get(key)
    return len(found) if isinstance(found, list | tuple) else 0


def _agents(run: RunView) -> str:
    vote = run.spec.get("vote")
    return ", ".join(voter["name"] for voter in vote["voters"]) if isinstance(vote, Mapping) else run.agent
