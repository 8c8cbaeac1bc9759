"""The steps in which reviewers read the whole change, and another vendor judges their findings."""

import asyncio
import functools
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace

from reknit.core.agent_reports.values import ReportedFinding, Review, to_title
from reknit.core.agents.call import AgentCall, AgentSettings, Done, RateLimited, Unusable, to_outcome_word
from reknit.core.agents.reviewer import Reviewer
from reknit.core.issues.review_findings import FindingSource, is_silenced
from reknit.core.review import run_text
from reknit.core.review.answer import (
    MAX_TEXT_CHARS,
    NO_FINDING,
    NumberedFinding,
    SavedReview,
    build_entry,
    decide_verdict,
    describe_misplaced,
    is_placed,
)
from reknit.core.review.progress import ReviewerAnswer
from reknit.core.review.progress_file.entries import ListedFinding
from reknit.core.review.progress_file.printing import print_entry, to_printable
from reknit.core.review.step_results import ReviewerCall
from reknit.core.review.task import ReviewChange
from reknit.core.runs.spec import RunSpec
from reknit.core.text.truncate import truncate_chars
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.agent_call import AgentTask, call_read_only_agent, rate_limited_call
from reknit.workflows.shared.kept_findings import save_findings
from reknit.workflows.shared.repository_facts import DIFF_BYTES, read_conventions
from reknit.workflows.shared.saved_values import load_value, save_value


def save_review(services: Services, spec: RunSpec, reviewer: str, saved: SavedReview) -> SavedReview:
    """Save a review for later steps, and for the run that resumes this one."""
    return save_value(services, spec, _name(reviewer), saved)


def load_review(services: Services, spec: RunSpec, reviewer: str) -> SavedReview | None:
    """Return the saved review of that reviewer."""
    review = load_value(services, spec, _name(reviewer))
    return review if isinstance(review, SavedReview) else None


def _name(reviewer: str) -> str:
    return f"review-{reviewer}"


@step("ask_reviewer.v1", preemptible=True)
async def ask_reviewer(services: Services, spec: RunSpec, place: int, tries: int, share: int = 1) -> ReviewerCall:
    """Ask a reviewer for findings. The same reviewer is not asked about the same change twice, in whichever run.

    `share`: how many are asked at once.
    """
    reviewer, agent = spec.task_as(ReviewChange).reviewers[place]
    await asyncio.to_thread(services.workspace(spec).ensure_commits, spec.base, spec.task_as(ReviewChange).since)
    if earlier_review := _find_earlier_review(services, spec, place):
        return await _record_review(services, spec, place, tries, earlier_review, AgentCall(Done()), is_repeated=True)
    if (call := rate_limited_call(services, agent)) is None:
        begins = run_text.report_review_start(reviewer, agent.name)
        services.ledger.put_event(spec.run_id, f"review-{reviewer.name}-begins-{tries}", begins)
        call = await _ask_for_review(services, spec, place, tries, share)
        if isinstance(call.report, Review) and (refused := _list_misplaced_findings(services, spec, call.report)):
            again = await _ask_for_review(services, spec, place, tries, share, refused)
            call = again if isinstance(again.report, Review) else call
    if isinstance(call.outcome, Done) and isinstance(call.report, Review):
        if call.report.verdict == "passed" or call.report.findings:  # anything else is no answer worth keeping
            save_value(services, spec, _answer_name(reviewer), call.report)
            services.ledger.record_answer(_question_key(services, spec, reviewer, agent), spec.run_id)
        return await _record_review(services, spec, place, tries, call.report, call)
    return _record_missing_review(services, spec, place, tries, call)


async def _ask_for_review(
    services: Services, spec: RunSpec, place: int, tries: int, share: int, refused: tuple[str, ...] = ()
) -> AgentCall:
    reviewer, agent = spec.task_as(ReviewChange).reviewers[place]
    prompt = services.prompt("review", await asyncio.to_thread(read_facts, services, spec, reviewer, refused))
    name = f"review-{reviewer.name}-{tries + 1}{'-again' if refused else ''}"
    return await call_read_only_agent(services, spec, AgentTask(name, place + 1, agent, prompt, share=share), spec.base)


def read_facts(
    services: Services,
    spec: RunSpec,
    reviewer: Reviewer,
    refused: tuple[str, ...] = (),
    *,
    head: str = "",
    fixed: tuple[ListedFinding, ...] = (),
) -> Mapping[str, object]:
    """Return the facts of the prompt. `head`: the commit with all fixes; `fixed`: what they fix."""
    repository, since, end = services.workspace(spec).repository, spec.task_as(ReviewChange).since, head or spec.base
    return {
        "reviewer": reviewer.name,
        "instruction": reviewer.text,
        "fixed": fixed,
        "files": repository.change(since, end).paths,
        "diff": repository.diff(since, end),
        "conventions": read_conventions(repository, since),
        "refused": refused,
    }


def _question_key(services: Services, spec: RunSpec, reviewer: Reviewer, agent: AgentSettings) -> str:
    repository, target = services.workspace(spec).repository, spec.task_as(ReviewChange)
    trees = (repository.tree_of(target.since), repository.tree_of(spec.base))
    parts = (spec.issue_repository, reviewer.name, reviewer.text, agent.name, agent.kind, agent.model, *trees)
    return f"review {hashlib.sha256(chr(0).join(parts).encode(errors='replace')).hexdigest()}"


def _find_earlier_review(services: Services, spec: RunSpec, place: int) -> Review | None:
    reviewer, agent = spec.task_as(ReviewChange).reviewers[place]
    earlier = services.ledger.find_answer(_question_key(services, spec, reviewer, agent))
    if not earlier:
        return None
    review = load_value(services, replace(spec, run_id=earlier), _answer_name(reviewer))
    return review if isinstance(review, Review) else None


def _answer_name(reviewer: Reviewer) -> str:
    return f"answer-{reviewer.name}"


def _list_misplaced_findings(services: Services, spec: RunSpec, review: Review) -> tuple[str, ...]:
    return describe_misplaced(review.findings, _line_counter(services, spec, spec.base))


def _line_counter(services: Services, spec: RunSpec, commit: str) -> Callable[[str], int | None]:
    """Return a function that counts the lines of a tracked file; None: there is no such file."""
    repository = services.workspace(spec).repository
    tracked = frozenset(repository.paths(commit))

    @functools.cache
    def lines(path: str) -> int | None:
        return len(repository.read(commit, path).splitlines()) if path in tracked else None

    return lines


async def keep_review(
    services: Services, spec: RunSpec, reviewer: Reviewer, review: Review, commit: str
) -> SavedReview:
    """Keep the findings of a review as issues, without those at no place of the commit's tree."""
    lines_of = _line_counter(services, spec, commit)
    placed = [finding for finding in review.findings if is_placed(finding, lines_of)]
    source = FindingSource(spec.issue_repository, reviewer.name, reviewer.prefix, commit)
    kept_findings = await asyncio.to_thread(save_findings, services, spec, source, placed)
    labelled = [finding for finding in kept_findings if finding.label]  # a file name that cannot be kept has no issue
    reportable = [finding for finding in labelled if not is_silenced(finding)]
    findings = tuple(
        NumberedFinding(
            _to_listed_finding(finding.finding, finding.label), finding.issue, _effort_points(finding.finding)
        )
        for finding in reportable
    )
    dropped, silenced = len(review.findings) - len(labelled), len(labelled) - len(reportable)
    return SavedReview(decide_verdict(review, len(reportable), dropped), findings, dropped, silenced)


async def _record_review(
    services: Services, spec: RunSpec, place: int, tries: int, review: Review, call: AgentCall,
    *, is_repeated: bool = False,
) -> ReviewerCall:  # fmt: skip
    reviewer, _ = spec.task_as(ReviewChange).reviewers[place]
    if review.verdict == "needs_work" and not review.findings:
        return _record_missing_review(services, spec, place, tries, replace(call, report=None), NO_FINDING)
    saved = await keep_review(services, spec, reviewer, review, spec.base)
    findings = save_review(services, spec, reviewer.name, saved).findings
    at = services.clock()
    answer = ReviewerAnswer(reviewer.name, reviewer.level, saved.verdict, len(findings), at=at, dropped=saved.dropped)
    services.ledger.put_event(
        spec.run_id, f"review-{reviewer.name}", run_text.report_review(reviewer, saved, call, is_from_cache=is_repeated)
    )
    for shown in findings[: run_text.SHOWN]:
        services.ledger.put_event(
            spec.run_id, f"found-{reviewer.name}-{shown.finding.id}", run_text.report_finding(shown.finding)
        )
    return ReviewerCall(
        answer, None, may_retry=False, seconds=call.seconds, spent_usd=services.ledger.total_cost(spec.run_id)
    )


def _to_listed_finding(finding: ReportedFinding, label: str) -> ListedFinding:
    return ListedFinding(
        label,
        finding.category,
        to_title(finding),
        finding.file,
        finding.line,
        truncate_chars(finding.issue, MAX_TEXT_CHARS),
        truncate_chars(finding.suggestion, MAX_TEXT_CHARS),
    )


def _effort_points(finding: ReportedFinding) -> int:
    return finding.effort_1_5 * finding.files


def _record_missing_review(
    services: Services, spec: RunSpec, place: int, tries: int, call: AgentCall, why: str = ""
) -> ReviewerCall:
    reviewer, agent = spec.task_as(ReviewChange).reviewers[place]
    outcome = call.outcome
    reason = why or f"{agent.name}: {to_outcome_word(outcome)} {getattr(outcome, 'detail', '')[:200]}".strip()
    answer = ReviewerAnswer(reviewer.name, reviewer.level, None, why=reason, at=services.clock())
    limited = outcome if isinstance(outcome, RateLimited) else None
    event = run_text.report_rest(reviewer) if limited else run_text.report_no_review(reviewer, reason)
    services.ledger.put_event(spec.run_id, f"review-{reviewer.name}-{event.kind}-{tries}", event)
    may_retry = not limited and not isinstance(outcome, Unusable)
    return ReviewerCall(answer, limited, may_retry, call.seconds, services.ledger.total_cost(spec.run_id))


@step("second_opinion.v1", preemptible=True)
async def second_opinion(services: Services, spec: RunSpec, place: int, number: int) -> str:
    """Ask another vendor whether a finding is real, without showing the suggestion. Returns its id if it is not.

    An agent that gives no answer refutes nothing. `number`: of the finding, from 0.
    """
    reviewer, _ = spec.task_as(ReviewChange).reviewers[place]
    saved, agent = load_review(services, spec, reviewer.name), spec.task_as(ReviewChange).second
    if saved is None or agent is None or rate_limited_call(services, agent):
        return ""
    await asyncio.to_thread(services.workspace(spec).ensure_commits, spec.base, spec.task_as(ReviewChange).since)
    finding = replace(saved.findings[number].finding, suggestion="")
    diff = truncate_chars(
        services.workspace(spec).repository.diff(spec.task_as(ReviewChange).since, spec.base), DIFF_BYTES
    )
    prompt = services.prompt("second_opinion", {"findings": (finding,), "diff": diff})
    task = AgentTask(f"second-{reviewer.name}-{number + 1}", number + 1, agent, prompt)
    call = await call_read_only_agent(services, spec, task, spec.base)
    is_refuted = isinstance(call.report, Review) and call.report.verdict == "passed"
    summary = call.report.summary if isinstance(call.report, Review) else to_outcome_word(call.outcome)
    event = run_text.report_second_opinion(finding, agent.name, summary, is_refuted=is_refuted)
    services.ledger.put_event(spec.run_id, f"second-{reviewer.name}-{number}", event)
    return finding.id if is_refuted else ""


@step("enter_review.v1")
async def enter_review(
    services: Services, spec: RunSpec, place: int, answer: ReviewerAnswer, refuted: tuple[str, ...] = ()
) -> None:
    """Append the review to the progress file, even if it passed. Refuted findings are not work to do."""
    reviewer, _ = spec.task_as(ReviewChange).reviewers[place]
    saved = load_review(services, spec, reviewer.name)
    if saved and refuted:
        saved = save_review(services, spec, reviewer.name, replace(saved, refuted=refuted))
    if saved and spec.task_as(ReviewChange).progress:
        text = print_entry(to_printable(build_entry(reviewer, answer, saved)))
        await asyncio.to_thread(
            services.working_tree.append, spec.repository, spec.task_as(ReviewChange).progress, text
        )
