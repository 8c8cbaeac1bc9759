"""Texts of a review run: events, commit messages, ending."""

from collections.abc import Mapping, Sequence

from reknit.core.agents.call import AgentCall
from reknit.core.agents.reviewer import Reviewer
from reknit.core.capability import StoredRun
from reknit.core.checks.criteria import criteria_lines
from reknit.core.forge.run_chain import HOP
from reknit.core.review.answer import SavedReview
from reknit.core.review.decision import FixFindings
from reknit.core.review.output.findings import reviewers_in
from reknit.core.review.progress import FindingBatch, ListedWork
from reknit.core.review.progress_file.entries import ListedFinding
from reknit.core.review.progress_file.layout import EntryProblem
from reknit.core.runs.event import Event, Mark
from reknit.core.runs.spec import RunSpec
from reknit.core.text.commit_text import neutralize_commit_text
from reknit.core.text.format import counted, file_line, one_line, seconds, spent_of
from reknit.core.text.layout import field

PHASES = {
    "ask_reviewer": "review: a reviewer reads the change",
    "second_look": "review: another agent looks at a finding",
    "enter_review": "review: writes the progress file",
    "open_review": "review: begins",
    "read_findings": "fix: reads the progress file",
    "observe_review": "fix: runs the tests before any change",
    "work_review": "fix: an agent works on a finding",
    "judge_review": "fix: judges the change",
    "prove_review": "fix: runs the tests on the change",
    "confirm_fix": "fix: the reviewer looks at the change",
    "record_review": "fix: records the attempt",
    "land_review": "fix: writes the commit",
    "give_up_review": "fix: gives up on a finding",
    "plan_wait_review": "waiting for an agent",
    "check_criterion": "plan: checks an acceptance criterion",
    "write_results": "plan: writes the results",
    "finish_review": "ends",
}
"""The steps of a review run, for people."""
NOTHING_CHANGED = "the agent changed nothing"
BESIDE_THE_FINDINGS = "the change does not touch the file that the findings are in"
SHOWN = 20
"""Findings of one reviewer that are shown while the run goes on; the progress file has all."""


def heading(spec: RunSpec) -> list[str]:
    target = spec.review_target
    names = ", ".join(reviewer.name for reviewer, _ in target.reviewers)
    levels = "of every level" if target.strict else "of blocking reviewers"
    then = "reports only" if target.report_only else f"fixes findings {levels}"
    asked = f"{target.resumes} is resumed" if target.resumes else f"{names or 'no reviewer'} on {target.about}"
    return [f"{spec.run_id}  {asked}", f"  {then}; at most ${spec.limits.budget_usd:.2f}"]


def opening(spec: RunSpec) -> Event:
    target = spec.review_target
    skipped = f"; skipped, for other languages: {', '.join(target.skipped)}" if target.skipped else ""
    what = f"what {target.resumes} reported" if target.resumes else counted(len(target.reviewers), "reviewer")
    data: dict[str, object] = {
        "base": spec.base,
        "since": target.since,
        "reviewers": [reviewer.name for reviewer, _ in target.reviewers],
        "skipped": [*target.skipped],
        "resumes": target.resumes,
        "budget_usd": spec.limits.budget_usd,
    }
    return Event("started", "note", spec.run_id, f"{what}, {target.about}{skipped}", data)


def review_begins(reviewer: Reviewer, agent: str) -> Event:
    text = f"{reviewer.name} ({reviewer.level}): {agent} reads the change"
    return Event("review_begins", "..", "review", text, {"reviewer": reviewer.name, "agent": agent})


def reviewed(reviewer: Reviewer, saved: SavedReview, call: AgentCall, *, is_known: bool) -> Event:
    findings = [finding.listed for finding in saved.findings]
    parts = [
        f"{reviewer.name} ({reviewer.level}): {saved.verdict}",
        counted(len(findings), "finding") if findings else "",
        f"{saved.dropped} dropped, because they name no line of the tree" if saved.dropped else "",
        f"{saved.silenced} ignored before" if saved.silenced else "",
        "known from an earlier run, no call" if is_known else f"{seconds(call.seconds)}  ${call.usage.cost_usd:.2f}",
    ]
    data: dict[str, object] = {
        "reviewer": reviewer.name, "level": reviewer.level, "verdict": saved.verdict, "known": is_known,
        "findings": [
            {"id": found.id, "file": found.file, "line": found.line, "title": found.title} for found in findings
        ],
        "dropped": saved.dropped, "silenced": saved.silenced,
    }  # fmt: skip
    mark: Mark = "ok" if saved.verdict == "PASSED" else "bad"
    return Event("reviewed", mark, "review", ", ".join(filter(None, parts)), data)


def found(finding: ListedFinding) -> Event:
    text = f"{finding.id}  {one_line(file_line(finding.file, finding.line))}  {one_line(finding.title)}"
    return Event("finding", "note", "review", text, {"id": finding.id, "file": finding.file, "line": finding.line})


def looked_again(found: ListedFinding, agent: str, said: str, *, is_refuted: bool) -> Event:
    text = f"{agent} says that {found.id} is {'not real' if is_refuted else 'real'}: {one_line(said)[:300]}"
    data: dict[str, object] = {"finding": found.id, "agent": agent, "refuted": is_refuted}
    return Event("second_look", "note", "review", text, data)


def not_reviewed(reviewer: Reviewer, why: str) -> Event:
    data: dict[str, object] = {"reviewer": reviewer.name, "level": reviewer.level, "verdict": None, "why": why}
    return Event("reviewed", "bad", "review", f"{reviewer.name} ({reviewer.level}) was not heard: {why}", data)


def listed(work: ListedWork, path: str, problems: Sequence[EntryProblem]) -> Event:
    count = sum(len(batch.findings) for batch in work.batches)
    together = f", in {len(work.batches)} batches" if len(work.batches) != count else ""
    text = f"{path} lists {counted(count, 'finding')} to fix{together}"
    if problems:
        first = problems[0]
        text += f"; line {first.line} is not understood: {first.what}"
    data: dict[str, object] = {
        "batches": [{"reviewer": batch.reviewer, "findings": [*batch.ids]} for batch in work.batches],
        "not_fixed": work.not_fixed,
        "only_by_waiver": [*work.only_by_waiver],
        "taken": [*work.taken],
        "problems": [{"line": problem.line, "what": problem.what} for problem in problems],
    }
    return Event("listed", "note", "fix", text, data)


def about(batch: FindingBatch) -> str:
    first = batch.findings[0]
    more = f" and {len(batch.findings) - 1} more" if len(batch.findings) > 1 else ""
    return f"{batch.name} {one_line(first.title or first.issue)[:100]}{more}"


def confirmed(move: FixFindings, reviewer: str, why: str) -> Event:
    data: dict[str, object] = {"attempt": move.number, "reviewer": reviewer, "still_there": bool(why)}
    if why:
        return Event("confirmed", "bad", "fix", f"{reviewer} says that it is still there: {one_line(why)[:300]}", data)
    return Event("confirmed", "ok", "fix", f"{reviewer} has no objection", data)


def subject(batch: FindingBatch) -> str:
    """As the requirement has it: reviewer, ids, brief description."""
    first = batch.findings[0]
    brief = one_line(first.title or first.issue)[:100]
    return neutralize_commit_text(f"fix(review): {batch.reviewer} - {batch.name} - {brief}")


def commit_message(batch: FindingBatch, run_id: str) -> str:
    lines = [f"- {found.id} {one_line(file_line(found.file, found.line))} {one_line(found.title)[:100]}"
             for found in batch.findings]  # fmt: skip
    listed_text = neutralize_commit_text("\n".join(lines))
    return f"{subject(batch)}\n\n{listed_text}\n\nReknit-Run: {run_id}\nReknit-Hop: {HOP}\n"


def landed(batch: FindingBatch, commit: str, branch: str) -> Event:
    data: dict[str, object] = {"commit": commit, "branch": branch, "findings": [*batch.ids]}
    return Event("landed", "ok", "fix", f"{commit[:7]} on {branch}: {subject(batch)}", data)


def given_up(batch: FindingBatch, why: str) -> Event:
    data: dict[str, object] = {"findings": [*batch.ids], "why": why}
    return Event("batch_failed", "bad", "fix", f"gave up on {batch.name}; the next finding is taken", data)


def ending_text(stored: StoredRun, width: int) -> str:
    run = stored.run
    took = seconds((run.ended_at or run.created_at) - run.created_at)
    lines = [
        f"{run.ending}   {counted(len(stored.attempts), 'attempt')}, {took}, {spent_of(run.spent_usd, run.budget_usd)}"
    ]
    lines += field("why", one_line(run.reason), width)
    lines += [
        f"  commit  {str(receipt['commit'])[:7]} on reknit/{run.id}   {one_line(str(receipt['red_before']))}"
        for receipt in stored.receipts
    ]
    lines += criteria_lines(stored, width)
    return "\n".join(
        [*lines, *(f"  {'next' if not place else '':<6}  {step}" for place, step in enumerate(_next(stored)))]
    )


def show_lines(stored: StoredRun, width: int) -> list[str]:
    lines = criteria_lines(stored, width)
    for reviewer in reviewers_in(stored):
        lines.append(f"  {reviewer['name']} ({reviewer['level']}): {reviewer['verdict'] or 'not heard'}")
        for found in reviewer["findings"]:
            note = "   refuted" if found["id"] in reviewer["refuted"] else ""
            where, title = one_line(file_line(found["file"], found["line"])), one_line(found["title"])
            lines.append(f"    {found['id']}  {where}  {title}{note}")
    return lines


def _next(stored: StoredRun) -> Sequence[str]:
    run, target = stored.run, stored.run.spec.get("review")
    if stored.receipts:
        take = f"reknit apply {run.id}" if run.spec.get("on_top_of") else f"git merge reknit/{run.id}"
        return f"reknit show {run.id}", take, f"reknit undo {run.id}"
    if isinstance(target, Mapping) and target.get("report_only") and run.ending == "DEFERRED":
        edit = f"edit {target.get('progress')}: delete, reword or add findings"
        return edit, f"reknit review --resume {run.id}    fixes what the file then lists"
    return (f"reknit explain {run.id}",)


def receipt_lines(receipt: Mapping[str, object]) -> list[str]:
    return [
        f"findings     {one_line(str(receipt['red_before']))}",
        f"tests        {receipt['green_after']}",
        f"judged       {receipt['judged']}",
    ]
