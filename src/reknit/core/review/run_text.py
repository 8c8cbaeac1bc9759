"""Renders the events, commit messages and ending of a review run."""

from collections.abc import Mapping, Sequence

from reknit.core.agent_reports.values import FixReport
from reknit.core.agents.call import AgentCall
from reknit.core.agents.reviewer import Reviewer
from reknit.core.capability import StoredRun
from reknit.core.checks.criteria import render_criteria
from reknit.core.errors import ReknitError
from reknit.core.forge.permission import HOP
from reknit.core.review.answer import SavedReview
from reknit.core.review.decision import FixFindings
from reknit.core.review.findings import read_reviewers
from reknit.core.review.progress import FindingBatch, ListedWork
from reknit.core.review.progress_file.entries import ListedFinding
from reknit.core.review.progress_file.layout import EntryProblem
from reknit.core.review.task import ReviewChange
from reknit.core.runs.event import Event, Mark
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import describe_spending, get_task
from reknit.core.text.forge_text import neutralize_commit_text
from reknit.core.text.format import (
    format_location,
    format_seconds,
    join_few,
    pluralize,
    render_field,
    to_one_line,
)
from reknit.core.text.truncate import truncate_chars

PHASES = {
    "ask_reviewer": "review: a reviewer reads the change",
    "second_opinion": "review: another agent looks at a finding",
    "enter_review": "review: writes the progress file",
    "open_review": "review: begins",
    "read_findings": "fix: reads the progress file",
    "observe_review": "fix: runs the tests before any change",
    "work_review": "fix: an agent works on a finding",
    "judge_review": "fix: judges the change",
    "prove_review": "fix: runs the tests on the change",
    "confirm_fix": "fix: the reviewer looks at the change",
    "recheck_findings": "fix: the reviewer looks at a finding again",
    "close_gone_findings": "fix: records a finding that is gone",
    "look_again": "review: a reviewer reads the whole change again",
    "enter_second_look": "review: writes the progress file",
    "record_review": "fix: records the attempt",
    "land_review": "fix: writes the commit",
    "give_up_review": "fix: gives up on a finding",
    "plan_wait_review": "waiting for an agent",
    "check_criterion": "plan: checks an acceptance criterion",
    "write_results": "plan: writes the results",
    "finish_review": "ends",
}
"""The steps of a review run, for people."""
GONE = "gone with another fix, as the reviewer confirms"
NOTHING_CHANGED = "the agent changed nothing"
MAX_DESCRIPTION_CHARS = 400
"""Maximum length of an agent's description of its fix."""
SHOWN = 20
"""Maximum number of findings of one reviewer shown during the run; the progress file has all."""


def render_heading(spec: RunSpec) -> list[str]:
    """Return the lines shown before the run starts."""
    target = spec.task_as(ReviewChange)
    names = ", ".join(reviewer.name for reviewer, _ in target.reviewers)
    levels = "of every level" if target.strict else "of blocking reviewers"
    then = "reports only" if target.report_only else f"fixes findings {levels}"
    task_text = f"{target.resumes} is resumed" if target.resumes else f"{names or 'no reviewer'} on {target.about}"
    return [f"{spec.run_id}  {task_text}", f"  {then}; at most ${spec.limits.budget_usd:.2f}"]


def report_start(spec: RunSpec) -> Event:
    """Report what the run will review."""
    target = spec.task_as(ReviewChange)
    skipped = f"; skipped, for other languages: {', '.join(target.skipped)}" if target.skipped else ""
    scope = f"what {target.resumes} reported" if target.resumes else pluralize(len(target.reviewers), "reviewer")
    data: dict[str, object] = {
        "base": spec.base,
        "since": target.since,
        "reviewers": [reviewer.name for reviewer, _ in target.reviewers],
        "skipped": [*target.skipped],
        "resumes": target.resumes,
        "budget_usd": spec.limits.budget_usd,
    }
    return Event("started", "note", spec.run_id, f"{scope}, {target.about}{skipped}", data)


def report_review_start(reviewer: Reviewer, agent: str) -> Event:
    """Report that a reviewer begins to read the change."""
    text = f"{reviewer.name} ({reviewer.level}): {agent} reads the change"
    return Event("review_begins", "..", "review", text, {"reviewer": reviewer.name, "agent": agent})


def report_review(reviewer: Reviewer, saved: SavedReview, call: AgentCall, *, is_from_cache: bool) -> Event:
    """Report a reviewer's verdict. `is_from_cache`: it comes from an earlier run."""
    findings = [finding.finding for finding in saved.findings]
    parts = [
        f"{reviewer.name} ({reviewer.level}): {saved.verdict}",
        pluralize(len(findings), "finding") if findings else "",
        f"{saved.dropped} dropped, because they name no line of the tree" if saved.dropped else "",
        f"{saved.silenced} ignored before" if saved.silenced else "",
        "known from an earlier run, no call"
        if is_from_cache
        else f"{format_seconds(call.seconds)}  ${call.usage.cost_usd:.2f}",
    ]
    data: dict[str, object] = {
        "reviewer": reviewer.name, "level": reviewer.level, "verdict": saved.verdict, "known": is_from_cache,
        "findings": [
            {"id": finding.id, "file": finding.file, "line": finding.line, "title": finding.title}
            for finding in findings
        ],
        "dropped": saved.dropped, "silenced": saved.silenced,
    }  # fmt: skip
    mark: Mark = "ok" if saved.verdict == "PASSED" else "bad"
    return Event("reviewed", mark, "review", ", ".join(filter(None, parts)), data)


def report_finding(finding: ListedFinding) -> Event:
    """Report one finding."""
    text = f"{finding.id}  {to_one_line(format_location(finding.file, finding.line))}  {to_one_line(finding.title)}"
    return Event("finding", "note", "review", text, {"id": finding.id, "file": finding.file, "line": finding.line})


def report_second_opinion(finding: ListedFinding, agent: str, reason: str, *, is_refuted: bool) -> Event:
    """Report another agent's opinion on a finding."""
    text = f"{agent} says that {finding.id} is {'not real' if is_refuted else 'real'}: {to_one_line(reason)[:300]}"
    data: dict[str, object] = {"finding": finding.id, "agent": agent, "refuted": is_refuted}
    return Event("second_opinion", "note", "review", text, data)


def report_no_review(reviewer: Reviewer, why: str) -> Event:
    """Report that a reviewer gave no answer."""
    data: dict[str, object] = {"reviewer": reviewer.name, "level": reviewer.level, "verdict": None, "why": why}
    return Event("reviewed", "bad", "review", f"{reviewer.name} ({reviewer.level}) was not heard: {why}", data)


def report_rest(reviewer: Reviewer) -> Event:
    """Report that a reviewer does not read at the moment: its provider is rate limited, which the wait tells."""
    return Event("review_rests", "..", "review", f"{reviewer.name} waits", {"reviewer": reviewer.name})


def report_listed_work(work: ListedWork, path: str, problems: Sequence[EntryProblem]) -> Event:
    """Report the work and the problems in the progress file."""
    count = sum(len(batch.findings) for batch in work.batches)
    together = f", in {len(work.batches)} batches" if len(work.batches) != count else ""
    text = f"{path} lists {pluralize(count, 'finding')} to fix{together}"
    if problems:
        first = problems[0]
        text += f"; line {first.line} is not understood: {first.message}"
    data: dict[str, object] = {
        "batches": [{"reviewer": batch.reviewer, "findings": [*batch.ids]} for batch in work.batches],
        "not_fixed": work.not_fixed,
        "only_by_waiver": [*work.only_by_waiver],
        "taken": [*work.unavailable],
        "problems": [{"line": problem.line, "what": problem.message} for problem in problems],
    }
    return Event("listed", "note", "fix", text, data)


def describe_batch(batch: FindingBatch) -> str:
    """Return the ids and the title of a batch."""
    first = batch.findings[0]
    more = f" and {len(batch.findings) - 1} more" if len(batch.findings) > 1 else ""
    return f"{batch.name} {to_one_line(first.title or first.issue)[:100]}{more}"


def describe_fix(batch: FindingBatch, call: AgentCall) -> tuple[str, ...]:
    """Return descriptions of a fix: the agent's own, or the titles of the findings if it gave none."""
    words = call.report.summary if isinstance(call.report, FixReport) else call.last_message
    text = to_one_line(words).strip()
    return (truncate_chars(text, MAX_DESCRIPTION_CHARS),) if text else batch.titles


def report_confirmation(move: FixFindings, why: str) -> Event:
    """Report whether the reviewer accepts a fix."""
    reviewer = move.batch.reviewer
    data: dict[str, object] = {"attempt": move.number, "reviewer": reviewer, "still_there": bool(why)}
    if why:
        return Event(
            "confirmed", "bad", "fix", f"{reviewer} says that it is still there: {to_one_line(why)[:300]}", data
        )
    return Event("confirmed", "ok", "fix", f"{reviewer} has no objection", data)


def report_recheck(batch: FindingBatch, why: str) -> Event:
    """Report whether findings are still there after other fixes. `why`: empty if they are gone."""
    data: dict[str, object] = {"findings": [*batch.ids], "reviewer": batch.reviewer, "still_there": bool(why)}
    result = f"is still there: {to_one_line(why)[:300]}" if why else "is gone with an earlier fix"
    return Event("rechecked", "note" if why else "ok", "fix", f"{batch.reviewer}: {batch.name} {result}", data)


def report_second_look(reviewer: Reviewer, found: Sequence[str], why: str) -> Event:
    """Report a reviewer's second look at the whole change. `why`: why it gave no answer."""
    data: dict[str, object] = {"reviewer": reviewer.name, "findings": [*found], "why": why}
    result = f"no answer ({why})" if why else f"more found: {join_few(found)}" if found else "no objection"
    mark: Mark = "bad" if why or found else "ok"
    return Event("second_look", mark, "review", f"{reviewer.name} reads the whole change again: {result}", data)


def render_subject(batch: FindingBatch) -> str:
    """Return the first line of the commit message: reviewer, ids, brief description."""
    first = batch.findings[0]
    brief = to_one_line(first.title or first.issue)[:100]
    return neutralize_commit_text(f"fix(review): {batch.reviewer} - {batch.name} - {brief}")


def render_commit_message(batch: FindingBatch, run_id: str) -> str:
    """Return the commit message of a fix."""
    lines = [
        f"- {finding.id} {to_one_line(format_location(finding.file, finding.line))} {to_one_line(finding.title)[:100]}"
        for finding in batch.findings
    ]
    listed_text = neutralize_commit_text("\n".join(lines))
    return f"{render_subject(batch)}\n\n{listed_text}\n\nReknit-Run: {run_id}\nReknit-Hop: {HOP}\n"


def report_landing(batch: FindingBatch, commit: str, branch: str) -> Event:
    """Report a commit."""
    data: dict[str, object] = {"commit": commit, "branch": branch, "findings": [*batch.ids]}
    return Event("landed", "ok", "fix", f"{commit[:7]} on {branch}: {render_subject(batch)}", data)


def report_give_up(batch: FindingBatch, why: str) -> Event:
    """Report that no further attempt on a batch is made."""
    data: dict[str, object] = {"findings": [*batch.ids], "why": why}
    return Event("batch_failed", "bad", "fix", f"gave up on {batch.name}; the next finding is taken", data)


def report_unwritten(problem: ReknitError) -> Event:
    """Report that the progress file does not list what is not fixed."""
    return Event("not_entered", "bad", "review", f"the progress file does not say what is not fixed: {problem}")


def render_ending(stored: StoredRun, width: int) -> str:
    """Return the text of an ended run."""
    run = stored.run
    took = format_seconds((run.ended_at or run.created_at) - run.created_at)
    spending = describe_spending(run)
    lines = [f"{run.ending}   {pluralize(len(stored.attempts), 'attempt')}, {took}, {spending}"]
    lines += render_field("why", to_one_line(run.reason), width)
    lines += [
        f"  commit  {str(receipt['commit'])[:7]} on reknit/{run.id}   {to_one_line(str(receipt['red_before']))}"
        for receipt in stored.receipts
    ]
    run_task = get_task(run)
    if run_task.get("report_only") and run.ending == "DEFERRED" and not stored.receipts:
        lines += render_field("edit", f"{run_task.get('progress')}: delete, reword or add findings", width)
    return "\n".join([*lines, *render_criteria(stored, width)])


def show_lines(stored: StoredRun, width: int) -> list[str]:
    """Return the reviewers and their findings, a line each."""
    lines = render_criteria(stored, width)
    for reviewer in read_reviewers(stored):
        lines.append(f"  {reviewer['name']} ({reviewer['level']}): {reviewer['verdict'] or 'not heard'}")
        for finding in reviewer["findings"]:
            note = "   refuted" if finding["id"] in reviewer["refuted"] else ""
            place, title = to_one_line(format_location(finding["file"], finding["line"])), to_one_line(finding["title"])
            lines.append(f"    {finding['id']}  {place}  {title}{note}")
    return lines


def render_receipt(receipt: Mapping[str, object]) -> list[str]:
    """Return the lines of a receipt."""
    return [
        f"findings     {to_one_line(str(receipt['red_before']))}",
        f"tests        {receipt['green_after']}",
        f"judged       {receipt['judged']}",
    ]
