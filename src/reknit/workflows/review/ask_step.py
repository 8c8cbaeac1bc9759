"""The steps in which reviewers read: the whole change, or one fix of their findings."""

import asyncio
import functools
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace

from reknit.core.agent_reports.finding_title import title_of
from reknit.core.agent_reports.values import ReportedFinding, Review
from reknit.core.agents.call import AgentCall, AgentSettings, Done, RateLimited, Unusable, outcome_word
from reknit.core.agents.reviewer import Reviewer
from reknit.core.issues.review_findings import FindingSource, is_silenced
from reknit.core.review import run_text
from reknit.core.review.answer import LONGEST, NumberedFinding, SavedReview, entry_of, is_placed, misplaced, verdict_of
from reknit.core.review.decision import FixFindings
from reknit.core.review.progress import HeardReview
from reknit.core.review.progress_file.entries import ListedFinding
from reknit.core.review.progress_file.printing import print_entry, printable
from reknit.core.review.step_results import Confirmation, ReviewerCall
from reknit.core.runs.spec import RunSpec
from reknit.core.text.truncate import truncate_chars
from reknit.workflows.review.saved_reviews import save_review, saved_review
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.agent_call import AgentTask, resting
from reknit.workflows.shared.agent_reading import read
from reknit.workflows.shared.kept_findings import keep_findings
from reknit.workflows.shared.prompt_facts import DIFF_BYTES, conventions
from reknit.workflows.shared.saved_values import load_value, save_value

_NO_FINDING = "it says that the change needs work but reports nothing"


@step("ask_reviewer.v1", preemptible=True)
async def ask_reviewer(services: Services, spec: RunSpec, place: int, tries: int) -> ReviewerCall:
    """The same reviewer on the same change is not asked twice, in whichever run."""
    reviewer, agent = spec.review_target.reviewers[place]
    await asyncio.to_thread(services.workspace(spec).ready, spec.base, spec.review_target.since)
    if known := _known_answer(services, spec, place):
        return await _heard(services, spec, place, known, AgentCall(Done()), is_known=True)
    if (call := resting(services, agent)) is None:
        begins = run_text.review_begins(reviewer, agent.name)
        services.ledger.event(spec.run_id, f"review-{reviewer.name}-begins-{tries}", begins)
        call = await _asked(services, spec, place, tries, ())
        if isinstance(call.report, Review) and (refused := _misplaced(services, spec, call.report)):
            again = await _asked(services, spec, place, tries, refused)
            call = again if isinstance(again.report, Review) else call
    if isinstance(call.outcome, Done) and isinstance(call.report, Review):
        if call.report.verdict == "passed" or call.report.findings:  # anything else is no answer worth keeping
            save_value(services, spec, _answer_name(reviewer), call.report)
            services.ledger.remember(_question(services, spec, reviewer, agent), spec.run_id)
        return await _heard(services, spec, place, call.report, call)
    return _unheard(services, spec, place, call)


async def _asked(services: Services, spec: RunSpec, place: int, tries: int, refused: tuple[str, ...]) -> AgentCall:
    reviewer, agent = spec.review_target.reviewers[place]
    prompt = services.prompt("review", await asyncio.to_thread(_facts, services, spec, reviewer, refused))
    name = f"review-{reviewer.name}-{tries + 1}{'-again' if refused else ''}"
    return await read(services, spec, AgentTask(name, place + 1, agent, prompt), spec.base)


def _facts(services: Services, spec: RunSpec, reviewer: Reviewer, refused: tuple[str, ...]) -> Mapping[str, object]:
    repository, since = services.workspace(spec).repository, spec.review_target.since
    return {
        "reviewer": reviewer.name,
        "instruction": reviewer.text,
        "files": repository.change(since, spec.base).paths,
        "diff": repository.diff(since, spec.base),
        "conventions": conventions(repository, since),
        "refused": refused,
    }


def _question(services: Services, spec: RunSpec, reviewer: Reviewer, agent: AgentSettings) -> str:
    repository, target = services.workspace(spec).repository, spec.review_target
    trees = (repository.tree_of(target.since), repository.tree_of(spec.base))
    asked = (spec.issue_repository, reviewer.name, reviewer.text, agent.name, agent.kind, agent.model, *trees)
    return f"review {hashlib.sha256(chr(0).join(asked).encode(errors='replace')).hexdigest()}"


def _known_answer(services: Services, spec: RunSpec, place: int) -> Review | None:
    reviewer, agent = spec.review_target.reviewers[place]
    earlier = services.ledger.remembered(_question(services, spec, reviewer, agent))
    if not earlier:
        return None
    known = load_value(services, replace(spec, run_id=earlier), _answer_name(reviewer))
    return known if isinstance(known, Review) else None


def _answer_name(reviewer: Reviewer) -> str:
    return f"answer-{reviewer.name}"


def _misplaced(services: Services, spec: RunSpec, review: Review) -> tuple[str, ...]:
    return misplaced(review.findings, _lines_of(services, spec))


def _lines_of(services: Services, spec: RunSpec) -> Callable[[str], int | None]:
    """How many lines a file of the tree has; None: there is no such file."""
    repository = services.workspace(spec).repository
    tracked = frozenset(repository.paths(spec.base))

    @functools.cache
    def lines(path: str) -> int | None:
        return len(repository.read(spec.base, path).splitlines()) if path in tracked else None

    return lines


async def _heard(
    services: Services, spec: RunSpec, place: int, review: Review, call: AgentCall, *, is_known: bool = False
) -> ReviewerCall:
    reviewer, _ = spec.review_target.reviewers[place]
    lines_of = _lines_of(services, spec)
    placed = [found for found in review.findings if is_placed(found, lines_of)]
    source = FindingSource(spec.issue_repository, reviewer.name, reviewer.prefix, spec.base)
    kept = await asyncio.to_thread(keep_findings, services, spec, source, placed)
    known = [each for each in kept if each.label]  # a file name that cannot be kept has no issue
    told = [each for each in known if not is_silenced(each)]
    findings = tuple(
        NumberedFinding(_listed(each.finding, each.label), each.issue, _points(each.finding)) for each in told
    )
    dropped, silenced = len(review.findings) - len(known), len(known) - len(told)
    if review.verdict == "needs_work" and not review.findings:
        return _unheard(services, spec, place, replace(call, report=None), _NO_FINDING)
    saved = save_review(
        services, spec, reviewer.name, SavedReview(verdict_of(review, len(told), dropped), findings, dropped, silenced)
    )
    at = services.clock()
    heard = HeardReview(reviewer.name, reviewer.level, saved.verdict, len(findings), at=at, dropped=dropped)
    services.ledger.event(
        spec.run_id, f"review-{reviewer.name}", run_text.reviewed(reviewer, saved, call, is_known=is_known)
    )
    for each in findings[: run_text.SHOWN]:
        services.ledger.event(spec.run_id, f"found-{reviewer.name}-{each.listed.id}", run_text.found(each.listed))
    return ReviewerCall(
        heard, None, may_retry=False, seconds=call.seconds, spent_usd=services.ledger.spent(spec.run_id)
    )


def _listed(found: ReportedFinding, label: str) -> ListedFinding:
    return ListedFinding(
        label,
        found.category,
        title_of(found),
        found.file,
        found.line,
        truncate_chars(found.issue, LONGEST),
        truncate_chars(found.suggestion, LONGEST),
    )


def _points(found: ReportedFinding) -> int:
    return found.effort_1_5 * found.files


def _unheard(services: Services, spec: RunSpec, place: int, call: AgentCall, why: str = "") -> ReviewerCall:
    reviewer, agent = spec.review_target.reviewers[place]
    outcome = call.outcome
    said = why or f"{agent.name}: {outcome_word(outcome)} {getattr(outcome, 'detail', '')[:200]}".strip()
    heard = HeardReview(reviewer.name, reviewer.level, None, why=said, at=services.clock())
    limited = outcome if isinstance(outcome, RateLimited) else None
    if not limited:
        services.ledger.event(spec.run_id, f"review-{reviewer.name}", run_text.not_reviewed(reviewer, said))
    may_retry = not limited and not isinstance(outcome, Unusable)
    return ReviewerCall(heard, limited, may_retry, call.seconds, services.ledger.spent(spec.run_id))


@step("second_look.v1", preemptible=True)
async def second_look(services: Services, spec: RunSpec, place: int, number: int) -> str:
    """Asks another vendor whether a finding is real, without showing the suggestion. Returns its id if it is not.

    An agent that gives no answer refutes nothing. `number`: of the finding, from 0.
    """
    reviewer, _ = spec.review_target.reviewers[place]
    saved, agent = saved_review(services, spec, reviewer.name), spec.review_target.second
    if saved is None or agent is None or resting(services, agent):
        return ""
    await asyncio.to_thread(services.workspace(spec).ready, spec.base, spec.review_target.since)
    found = replace(saved.findings[number].listed, suggestion="")
    diff = truncate_chars(services.workspace(spec).repository.diff(spec.review_target.since, spec.base), DIFF_BYTES)
    prompt = services.prompt("second_look", {"findings": (found,), "diff": diff})
    task = AgentTask(f"second-{reviewer.name}-{number + 1}", number + 1, agent, prompt)
    call = await read(services, spec, task, spec.base)
    is_refuted = isinstance(call.report, Review) and call.report.verdict == "passed"
    said = call.report.summary if isinstance(call.report, Review) else outcome_word(call.outcome)
    told = run_text.looked_again(found, agent.name, said, is_refuted=is_refuted)
    services.ledger.event(spec.run_id, f"second-{reviewer.name}-{number}", told)
    return found.id if is_refuted else ""


@step("enter_review.v1")
async def enter_review(
    services: Services, spec: RunSpec, place: int, heard: HeardReview, refuted: tuple[str, ...] = ()
) -> None:
    """Appends what the reviewer said to the progress file, also if it passed. What was refuted is not work to do."""
    reviewer, _ = spec.review_target.reviewers[place]
    saved = saved_review(services, spec, reviewer.name)
    if saved and refuted:
        saved = save_review(services, spec, reviewer.name, replace(saved, refuted=refuted))
    if saved and spec.review_target.progress:
        text = print_entry(printable(entry_of(reviewer, heard, saved)))
        await asyncio.to_thread(services.working_tree.append, spec.repository, spec.review_target.progress, text)


@step("confirm_fix.v1", preemptible=True)
async def confirm(
    services: Services, spec: RunSpec, move: FixFindings, head: str, commit: str, tries: int
) -> Confirmation:
    """Shows the reviewer its findings and this fix, nothing else."""
    reviewer, agent = next(pair for pair in spec.review_target.reviewers if pair[0].name == move.batch.reviewer)
    await asyncio.to_thread(services.workspace(spec).ready, head, commit)
    call = resting(services, agent)
    if call is None:
        diff = truncate_chars(services.workspace(spec).repository.diff(head, commit), DIFF_BYTES)
        prompt = services.prompt("confirm_fix", {"findings": move.batch.findings, "diff": diff})
        name = f"confirm-{move.number}-{tries + 1}"
        call = await read(services, spec, AgentTask(name, move.number, agent, prompt), commit)
    spent, report = services.ledger.spent(spec.run_id), call.report
    if isinstance(call.outcome, Done) and isinstance(report, Review):
        why = (report.summary or "the reviewer says that it is still there") if report.verdict == "needs_work" else ""
        services.ledger.event(spec.run_id, f"confirm-{move.number}", run_text.confirmed(move, reviewer.name, why))
        return Confirmation(why, seconds=call.seconds, spent_usd=spent)
    unheard = f"{reviewer.name} did not answer whether it is fixed ({outcome_word(call.outcome)})"
    limited = call.outcome if isinstance(call.outcome, RateLimited | Unusable) else None
    return Confirmation("", unheard, limited, call.seconds, spent)
