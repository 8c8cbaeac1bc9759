"""The step in which the challenger reviews the change of `fix issues`."""

import asyncio
from collections.abc import Mapping

from reknit.core.agent_reports.values import Review
from reknit.core.agents.call import AgentCall, RateLimited, Unusable, outcome_word
from reknit.core.agents.instructions import challenger_guide
from reknit.core.fix_issues import run_text
from reknit.core.fix_issues.decision import Challenge, worked_on
from reknit.core.fix_issues.progress import BacklogProgress, ChallengeScore
from reknit.core.fix_issues.step_results import ChallengeCall
from reknit.core.runs.spec import RunSpec
from reknit.workflows.fix_issues.proposed_change import whole_change
from reknit.workflows.fix_issues.saved_issues import kept_issues
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.agent_call import AgentTask, resting
from reknit.workflows.shared.agent_reading import read
from reknit.workflows.shared.gate_check import advice_on
from reknit.workflows.shared.prompt_facts import conventions


@step("challenge.v1", preemptible=True)
async def challenge(services: Services, spec: RunSpec, progress: BacklogProgress, move: Challenge) -> ChallengeCall:
    """Show the whole change to a read-only agent of another vendor. It sees nothing the fixer wrote but the change."""
    agent = spec.issues_target.challenger
    if agent is None:  # ruled out by `decide`; only for the reader and the type checker
        return ChallengeCall("", None, None, "there is no challenger", 0.0, 0.0)
    call = resting(services, agent)
    if call is None:
        begins = run_text.challenge_begins(move, agent.name, spec.issues_target)
        services.ledger.event(spec.run_id, f"challenge-{move.number}-begins", begins)
        await asyncio.to_thread(services.workspace(spec).ready, spec.base, progress.head)
        services.workspace(spec).repository.show(spec.base)  # its git log ends where the user's ends
        facts = await asyncio.to_thread(_facts, services, spec, progress)
        advice = await advice_on(services, spec, whole_change(services, spec, progress.head))
        prompt = services.prompt("challenge", {**facts, "advice": advice})
        task = AgentTask(f"challenge-{move.number}", move.number, agent, prompt)
        call = await read(services, spec, task, progress.head)
    return _heard(services, spec, progress, move, call)


def _heard(
    services: Services, spec: RunSpec, progress: BacklogProgress, move: Challenge, call: AgentCall
) -> ChallengeCall:
    agent, spent = spec.issues_target.challenger, services.ledger.spent(spec.run_id)
    name, outcome = agent.name if agent else "", call.outcome
    if isinstance(outcome, RateLimited | Unusable):
        return ChallengeCall(name, outcome, None, "", call.seconds, spent)
    review = call.report if isinstance(call.report, Review) and outcome_word(outcome) == "done" else None
    why = "" if review else f"{outcome_word(outcome)} {getattr(outcome, 'detail', '')[:200]}".strip()
    event = run_text.challenged(move, name, ChallengeScore(progress.head, review, why), spec.issues_target)
    services.ledger.event(spec.run_id, f"challenge-{move.number}", event)
    return ChallengeCall(name, None, review, why, call.seconds, spent)


def _facts(services: Services, spec: RunSpec, progress: BacklogProgress) -> Mapping[str, object]:
    repository = services.workspace(spec).repository
    kept = worked_on(progress, spec.issues_target)
    files = repository.change(spec.base, progress.head).paths
    return {
        "guides": challenger_guide(spec.issues_target.guides),
        # A change cannot resolve an issue whose file it does not touch, so it is not judged for that issue.
        "issues": tuple(issue for issue in kept_issues(services, spec) if issue.id in kept and issue.path in files),
        "diff": repository.diff(spec.base, progress.head),
        "files": files,
        "threshold": spec.issues_target.limits.threshold_0_100,
        "earlier": tuple(finding for scored in progress.heard if scored.review for finding in scored.review.findings),
        "conventions": conventions(repository, spec.base),
    }
