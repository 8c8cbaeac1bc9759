"""Texts of a backlog run: events, commit message, ending."""

from collections.abc import Collection, Mapping, Sequence

from reknit.core.fix_issues.decision import Challenge, Work, judged_by
from reknit.core.fix_issues.progress import BacklogProgress, ChallengeScore
from reknit.core.forge.run_chain import HOP
from reknit.core.gate.needed_waivers import NotAllowed, not_allowed_text
from reknit.core.issues.model import Issue
from reknit.core.planning.tasks import plan_of
from reknit.core.runs.event import Event
from reknit.core.runs.receipt import checked_lines, named_tests
from reknit.core.runs.spec import Batch, IssuesTarget, RunSpec
from reknit.core.runs.view import RunView
from reknit.core.text.commit_text import neutralize_commit_text
from reknit.core.text.format import counted, file_line, first_few, one_line, seconds, spent_of
from reknit.core.text.layout import field

PHASES = {
    "observe_issues": "runs the tests before any change",
    "look_by_tools": "asks the tools for their fixes",
    "fix_by_tools": "tools fix what they reported",
    "judge_tools": "judges the fixes of tools",
    "prove_tools": "runs the tests on the fixes of tools",
    "record_tools": "records the fixes of tools",
    "rebatch": "packs what is left for agents",
    "work_issues": "an agent works on a batch",
    "judge_issues": "judges the change",
    "prove_issues": "runs the tests on the change",
    "record_issues": "records the attempt",
    "give_up_issues": "gives up on a batch",
    "challenge": "challenges the whole change",
    "plan_wait_issues": "waiting for an agent",
    "land_issues": "writes the commit",
    "settle_issues": "updates the issues",
    "check_criterion": "checks an acceptance criterion of the plan",
    "write_results": "writes the results into the plan",
    "finish_issues": "ends",
}
"""The steps of a backlog run, for people."""
_NONE: Mapping[int, str] = {}
LISTED = 50
"""Issues listed in a commit message; the ledger has them all."""
RECEIPT = "issues"
"""Name of the only receipt of such a run."""


def opening(spec: RunSpec, target: IssuesTarget) -> Event:
    judge = f"{target.challenger.name} challenges" if target.challenger else f"no challenger: {target.unchallenged}"
    text = f"{len(target.issues)} issue(s) in {len(target.batches)} batch(es), {judge}"
    left_out = not_allowed_text(target.not_allowed)
    text += f"; left out: {left_out}" if left_out else ""
    data: dict[str, object] = {
        "base": spec.base,
        "agent": spec.agent.name,
        "challenger": target.challenger.name if target.challenger else None,
        "issues": [f"I-{issue}" for issue in target.issues],
        "batches": len(target.batches),
        "budget_usd": spec.limits.budget_usd,
        "not_allowed": target.not_allowed.issues,
        "allow": list(target.not_allowed.allow),
    }
    return Event("started", "note", spec.run_id, text, data)


def not_taken(target: IssuesTarget, taken: Sequence[int]) -> Event:
    missing = [f"I-{issue}" for issue in target.issues if issue not in taken]
    text = f"{len(missing)} of them have been taken by another run or a person: {', '.join(missing[:5])}"
    return Event("not_taken", "note", "issues", text, {"issues": missing})


def about(work: Work, issues: Sequence[Issue], target: IssuesTarget) -> str:
    if work.batch is None:
        return f"the challenger's objections in round {work.round}"
    where = first_few([one_line(file) for file in dict.fromkeys(issue.path for issue in issues)])
    return f"batch {work.batch.number} of {len(target.batches)} ({work.batch.kind}): {len(issues)} issue(s) in {where}"


def batch_failed(batch: Batch, issues: Sequence[int], why: str) -> Event:
    names = ", ".join(f"I-{issue}" for issue in issues)
    first = why.splitlines()[0] if why else ""
    text = f"gave up on batch {batch.number}, FAILED: {names}; {first}"
    return Event("batch_failed", "bad", "batch", text, {"batch": batch.number, "issues": list(issues), "why": first})


def challenge_begins(move: Challenge, agent: str, target: IssuesTarget) -> Event:
    text = f"round {move.round} of {target.limits.rounds}: {agent} reads the whole change"
    return Event("challenge", "..", "challenger", text, {"round": move.round, "agent": agent})


def challenged(move: Challenge, agent: str, scored: ChallengeScore, target: IssuesTarget) -> Event:
    data: dict[str, object] = {"round": move.round, "agent": agent, "needs": target.limits.threshold_0_100}
    if scored.review is None:
        return Event("challenged", "bad", "challenger", f"{agent} gave no score: {scored.why}", data)
    review, approved = scored.review, scored.approves(target.limits)
    said = f"; {one_line(review.summary)[:300]}" if review.summary else ""
    text = f"{agent} gave {review.score_0_100} of 100, needs {target.limits.threshold_0_100:g}{said}"
    found = [f"{each.file}:{each.line} {each.severity}: {one_line(each.issue)[:300]}" for each in review.findings[:20]]
    data |= {"score": review.score_0_100, "approved": approved, "findings": found, "output_tail": "\n".join(found)}
    return Event("challenged", "ok" if approved else "bad", "challenger", text, data)


def subject(issues: Sequence[Issue]) -> str:
    if issues and (plan := plan_of(issues[0].tools)):
        return neutralize_commit_text(f"chore: do {counted(len(issues), 'task')} of the plan {plan}")
    rules = list(dict.fromkeys(one_line(issue.rule) for issue in issues))
    named = f" ({first_few(rules)})"
    what = f"fix: address {counted(len(issues), 'issue')}"
    return neutralize_commit_text(what + named) if len(what + named) <= 72 else what


def commit_message(issues: Sequence[Issue], run_id: str, judged: str, by_tools: Mapping[int, str] = _NONE) -> str:
    """Built from the ledger alone: no agent has a say in it, and its text is neutralized."""
    lines = [
        f"- {issue.name} {_what(issue)}" + (f" (by {by_tools[issue.id]})" if issue.id in by_tools else "")
        for issue in issues[:LISTED]
    ]
    if len(issues) > LISTED:
        lines.append(f"- and {len(issues) - LISTED} more")
    listed, judgement = neutralize_commit_text("\n".join(lines)), judged[:1].upper() + judged[1:]
    return f"{subject(issues)}\n\n{listed}\n\n{judgement}.\n\nReknit-Run: {run_id}\nReknit-Hop: {HOP}\n"


def _what(issue: Issue) -> str:
    if plan_of(issue.tools):
        return one_line(issue.message)[:120]
    return f"{one_line(issue.rule)[:80]} {file_line(one_line(issue.path), issue.line)}"


def resolved_why(commit: str, progress: BacklogProgress, target: IssuesTarget, tool: str = "") -> str:
    """`tool`: what fixed it; empty: an agent."""
    by = f"{tool} fixed it and no longer reports it; " if tool else ""
    return f"{by}its file is in {commit[:12]}; {judged_by(progress, target)}"


_IMPORT_AGAIN = ", then re-run your tools and import again: reknit issues import FILE…"
BESIDE_THE_ISSUES = "the change touches none of the files that the issues are in"
ONLY_COMMENTS = "the change touches only comments or blanks in the files of the issues, which resolves nothing"
NOT_IN_COMMIT = "the agent did not change its file, or only comments and blanks in it"
STILL_REPORTED = "its tool still reports it after the last attempt"


def settled(resolved: Sequence[int], failed: Sequence[int], still: Collection[int] = ()) -> Event:
    """`still`: issues that their tools report after the last attempt."""
    reported = len({*failed} & {*still})
    failing = f", {len(failed) - reported} FAILED: their files are not in the commit" if len(failed) > reported else ""
    failing += f", {reported} FAILED: their tools still report them" if reported else ""
    data: dict[str, object] = {"resolved": list(resolved), "failed": list(failed)}
    return Event("settled", "ok", "issues", f"{len(resolved)} RESOLVED{failing}", data)


def ending_lines(run: RunView, receipts: Sequence[Mapping[str, object]], calls: int, width: int) -> list[str]:
    fixed, left = (run.detail.get(key) or () for key in ("fixed", "left"))
    counts = [len(ids) if isinstance(ids, list | tuple) else 0 for ids in (fixed, left)]
    took = seconds((run.ended_at or run.created_at) - run.created_at)
    of = f"  {counts[0]} of {sum(counts)} issues" if sum(counts) else ""
    lines = [f"{run.ending}{of}   {calls} fixer call(s), {took}, {spent_of(run.spent_usd, run.budget_usd)}"]
    lines += field("why", one_line(run.reason), width)
    lines += field("left", left_out, width) if (left_out := _left_out(run)) else []
    for receipt in receipts:
        lines.append(f"  commit  {str(receipt['commit'])[:7]} on reknit/{run.id}")
    steps = [f"reknit show {run.id}"]
    if receipts:
        again = "" if run.spec.get("variant") else _IMPORT_AGAIN
        steps += [f"git merge reknit/{run.id}{again}"]
        steps += [f"reknit undo {run.id}"]
    if counts[1]:
        steps.append(f"reknit issues list --run {run.id}")
    return [*lines, *(f"  {'next' if not number else '':<6}  {step}" for number, step in enumerate(steps))]


def _left_out(run: RunView) -> str:
    """Of the target as it was stored; one of an older version does not say."""
    target = run.spec.get("issues")
    found = target.get("not_allowed") if isinstance(target, Mapping) else None
    return not_allowed_text(NotAllowed(**found)) if isinstance(found, Mapping) else ""


def receipt_lines(receipt: Mapping[str, object]) -> list[str]:
    return [
        f"issues       {named_tests(receipt)}",
        f"tests        {one_line(str(receipt['green_after']))}",
        *(f"red before   {one_line(str(before))}" for before in [receipt.get("red_before")] if before),
        *(f"red without  {one_line(str(without))}" for without in [receipt.get("red_without")] if without),
        *checked_lines(receipt),
        f"judged       {receipt['judged']}",
        *(f"tools        {one_line(str(line))}" for line in _lines(receipt.get("tools"))),
    ]


def _lines(found: object) -> Sequence[object]:
    """A receipt of an older version has none."""
    return found if isinstance(found, list | tuple) else ()
