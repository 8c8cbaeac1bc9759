"""Texts of a backlog run: events, commit message, ending."""

from collections.abc import Collection, Mapping, Sequence
from textwrap import shorten

from reknit.core.fix_issues.decision import Challenge, Work, describe_judges
from reknit.core.fix_issues.progress import BacklogProgress, ChallengeScore
from reknit.core.fix_issues.task import Batch, FixIssues
from reknit.core.forge.permission import HOP
from reknit.core.gate.needed_waivers import NotAllowed, explain_not_allowed
from reknit.core.issues.model import Issue
from reknit.core.planning.tasks import find_plan_topic
from reknit.core.runs.event import Event
from reknit.core.runs.receipt import render_checks, render_entries, render_tests
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import RunView, describe_spending, get_task
from reknit.core.text.forge_text import neutralize_commit_text
from reknit.core.text.format import (
    format_location,
    format_seconds,
    join_few,
    pluralize,
    render_field,
    to_one_line,
)

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
_NO_TOOLS: Mapping[int, str] = {}
LISTED = 50
"""Maximum number of issues in a commit message; the ledger has all."""
RECEIPT = "issues"
"""Name of the only receipt of such a run."""


def report_start(spec: RunSpec, target: FixIssues) -> Event:
    """Return the first event of the run."""
    judge = f"{target.challenger.name} challenges" if target.challenger else f"no challenger: {target.unchallenged}"
    text = f"{len(target.issues)} issue(s) in {len(target.batches)} batch(es), {judge}"
    left_out = explain_not_allowed(target.not_allowed)
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


def report_not_claimed(target: FixIssues, claimed_issues: Sequence[int]) -> Event:
    """Return the event for issues that another run or a person has taken."""
    missing = [f"I-{issue}" for issue in target.issues if issue not in claimed_issues]
    text = f"{len(missing)} of them have been taken by another run or a person: {', '.join(missing[:5])}"
    return Event("not_taken", "note", "issues", text, {"issues": missing})


def describe_work(work: Work, issues: Sequence[Issue], target: FixIssues) -> str:
    """Name the work of an agent in one line."""
    if work.batch is None:
        return f"the challenger's objections in round {work.round}"
    files = join_few([to_one_line(file) for file in dict.fromkeys(issue.path for issue in issues)])
    return f"batch {work.batch.number} of {len(target.batches)} ({work.batch.kind}): {len(issues)} issue(s) in {files}"


def report_failed_batch(batch: Batch, issues: Sequence[int], why: str) -> Event:
    """Return the event for a batch that the run gave up on."""
    names = ", ".join(f"I-{issue}" for issue in issues)
    first = why.splitlines()[0] if why else ""
    text = f"gave up on batch {batch.number}, FAILED: {names}; {first}"
    return Event("batch_failed", "bad", "batch", text, {"batch": batch.number, "issues": list(issues), "why": first})


def report_challenge_start(move: Challenge, agent: str, target: FixIssues) -> Event:
    """Return the event for the start of a challenge."""
    text = f"round {move.round} of {target.limits.rounds}: {agent} reads the whole change"
    return Event("challenge", "..", "challenger", text, {"round": move.round, "agent": agent})


def report_score(move: Challenge, agent: str, score: ChallengeScore, target: FixIssues) -> Event:
    """Return the event for an answer of the challenger."""
    data: dict[str, object] = {"round": move.round, "agent": agent, "needs": target.limits.threshold_0_100}
    if score.review is None:
        return Event("challenged", "bad", "challenger", f"{agent} gave no score: {score.why}", data)
    review, approved = score.review, score.approves(target.limits)
    summary = f"; {to_one_line(review.summary)[:300]}" if review.summary else ""
    text = f"{agent} gave {review.score_0_100} of 100, needs {target.limits.threshold_0_100:g}{summary}"
    objections = [
        f"{finding.file}:{finding.line} {finding.severity}: {to_one_line(finding.issue)[:300]}"
        for finding in review.findings[:20]
    ]
    data |= {
        "score": review.score_0_100,
        "approved": approved,
        "findings": objections,
        "output_tail": "\n".join(objections),
    }
    return Event("challenged", "ok" if approved else "bad", "challenger", text, data)


def write_subject(issues: Sequence[Issue]) -> str:
    """Write the subject of the commit."""
    if not issues:
        return "chore: finish the tasks of the plan"
    if find_plan_topic(issues[0].tools):
        more = f" and {len(issues) - 1} more" if len(issues) > 1 else ""
        return neutralize_commit_text(shorten(f"chore: {to_one_line(issues[0].message)}", 72, placeholder=" …") + more)
    rules = list(dict.fromkeys(to_one_line(issue.rule) for issue in issues))
    rule_names = f" ({join_few(rules)})"
    title = f"fix: address {pluralize(len(issues), 'issue')}"
    return neutralize_commit_text(title + rule_names) if len(title + rule_names) <= 72 else title


def write_commit_message(
    issues: Sequence[Issue], run_id: str, sentence: str, by_tools: Mapping[int, str] = _NO_TOOLS
) -> str:
    """Write the commit message from the ledger alone, without text of agents, and neutralize it."""
    lines = [
        f"- {issue.name} {_describe_issue(issue)}" + (f" (by {by_tools[issue.id]})" if issue.id in by_tools else "")
        for issue in issues[:LISTED]
    ]
    if len(issues) > LISTED:
        lines.append(f"- and {len(issues) - LISTED} more")
    sentence = f"{sentence[:1].upper()}{sentence[1:]}."
    parts = [write_subject(issues), neutralize_commit_text("\n".join(lines)), sentence]
    return "\n\n".join([*filter(None, parts), f"Reknit-Run: {run_id}\nReknit-Hop: {HOP}\n"])


def _describe_issue(issue: Issue) -> str:
    if find_plan_topic(issue.tools):
        return to_one_line(issue.message)[:120]
    return f"{to_one_line(issue.rule)[:80]} {format_location(to_one_line(issue.path), issue.line)}"


def explain_resolved(commit: str, progress: BacklogProgress, target: FixIssues, tool: str = "") -> str:
    """Say why an issue is RESOLVED. `tool`: the tool that fixed it; empty: an agent did."""
    by = f"{tool} fixed it and no longer reports it; " if tool else ""
    return f"{by}its file is in {commit[:12]}; {describe_judges(progress, target)}"


_IMPORT_AGAIN = "run your tools again and import what they report: reknit issues import FILE…"
BESIDE_THE_ISSUES = "the change touches none of the files that the issues are in"
ONLY_COMMENTS = "the change touches only comments or blanks in the files of the issues, which resolves nothing"
NOT_IN_COMMIT = "the agent did not change its file, or only comments and blanks in it"
STILL_REPORTED = "its tool still reports it after the last attempt"


def report_settled(resolved: Sequence[int], failed: Sequence[int], still: Collection[int] = ()) -> Event:
    """Return the event for issues that changed status. `still`: issues that tools still report."""
    reported = len({*failed} & {*still})
    failing = f", {len(failed) - reported} FAILED: their files are not in the commit" if len(failed) > reported else ""
    failing += f", {reported} FAILED: their tools still report them" if reported else ""
    data: dict[str, object] = {"resolved": list(resolved), "failed": list(failed)}
    return Event("settled", "ok", "issues", f"{len(resolved)} RESOLVED{failing}", data)


def render_ending(run: RunView, receipts: Sequence[Mapping[str, object]], calls: int, width: int) -> list[str]:
    """Return the last lines of a run: result, reason, commit and next steps."""
    fixed, open_issues = (run.detail.get(key) or () for key in ("fixed", "left"))
    counts = [len(ids) if isinstance(ids, list | tuple) else 0 for ids in (fixed, open_issues)]
    took = format_seconds((run.ended_at or run.created_at) - run.created_at)
    share = f"  {counts[0]} of {sum(counts)} issues" if sum(counts) else ""
    cost = describe_spending(run)
    lines = [f"{run.ending}{share}   {pluralize(calls, 'attempt')}, {took}, {cost}"]
    lines += render_field("why", to_one_line(run.reason), width)
    lines += render_field("left", left_out, width) if (left_out := _render_left_out(run)) else []
    for receipt in receipts:
        lines.append(f"  commit  {str(receipt['commit'])[:7]} on reknit/{run.id}")
    if receipts and not get_task(run).get("variant"):
        lines += render_field("then", _IMPORT_AGAIN, width)
    return lines


def _render_left_out(run: RunView) -> str:
    not_allowed = get_task(run).get("not_allowed")
    return explain_not_allowed(NotAllowed(**not_allowed)) if not_allowed else ""


def render_receipt(receipt: Mapping[str, object]) -> list[str]:
    """Return the lines of a receipt."""
    return [
        f"issues       {render_tests(receipt)}",
        f"tests        {to_one_line(str(receipt['green_after']))}",
        *(f"red before   {to_one_line(str(before))}" for before in [receipt.get("red_before")] if before),
        *(f"red without  {to_one_line(str(without))}" for without in [receipt.get("red_without")] if without),
        *render_checks(receipt),
        f"judged       {receipt['judged']}",
        *render_entries("tools", receipt.get("tools")),
    ]
