"""The steps of `fix pr` that record what happened, update the pull request, and announce waits."""

import asyncio
import json

from reknit.core.checks.asked_tests import NOT_ASKED, ProofText, proof_text
from reknit.core.fix_pr.answered import touched
from reknit.core.fix_pr.checks_snapshot import ChecksSnapshot
from reknit.core.fix_pr.output import events
from reknit.core.fix_pr.output.comment import Spending, check_report, comment, superseded
from reknit.core.fix_pr.output.documents import course_document
from reknit.core.fix_pr.push import NotPushed, Pushed
from reknit.core.fix_pr.state import Fix, PullRunState, Turn, Wait, asked_tests
from reknit.core.forge.pull_snapshot import PullSnapshot
from reknit.core.forge.values import ForgeFailure
from reknit.core.gate.verdict import GateVerdict, advice_lines
from reknit.core.gate.waiver import use_text
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.ending import Ending
from reknit.core.runs.receipt import LandedFix
from reknit.core.runs.spec import RunSpec
from reknit.ports.forge import Forge
from reknit.workflows.fix_pr.ci_history import settled
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.attempt_cycle import plan_wait, record
from reknit.workflows.shared.forge_calls import ask
from reknit.workflows.shared.landing import write_receipt
from reknit.workflows.shared.proofs.asked_tests import proof_of_asked_tests
from reknit.workflows.shared.saved_values import load_value
from reknit.workflows.shared.tests_check import known_tests, runs_behind

SETTLED = 50
"""How many settled findings the next reviewer is shown at most."""


@step("note.v1")
async def note(
    services: Services,
    spec: RunSpec,
    move: Fix,
    made: AttemptResult,
    gate: GateVerdict | None,
    end: Pushed | NotPushed | None,
) -> None:
    """Record the outcome of an attempt. `end` is None if the agent could not work."""
    await record(services, spec, move.number, made, gate, events.proof_of(end, move.findings))
    if not isinstance(end, Pushed) or gate is None:
        return
    await asyncio.to_thread(services.workspace(spec).ready, end.commit)
    repository = services.workspace(spec).repository
    base = repository.resolve(f"{end.commit}^")
    after = known_tests(services, spec, end.commit)
    passed = after.passed if after else 0
    proofs = proof_of_asked_tests(services, spec, end.commit)
    otherwise = ProofText(
        red_before=events.brief(move.findings),
        green_after=f"{passed} tests passed before the push; CI and the review look at the pushed commit",
        red_without=f"its parent {base[:7]} had the failures" if asked_tests(move) else NOT_ASKED,
    )
    text = proof_text(proofs, base, otherwise)
    fix = LandedFix(
        finding=f"i{move.number}",
        tests=tuple(finding.subject for finding in move.findings),
        base=base,
        commit=end.commit,
        attempt=move.number,
        strategy=move.strategy,
        agent=move.agent,
        evidence=spec.evidence,
        red_before=text.red_before,
        green_after=text.green_after,
        red_without=text.red_without,
        checks=text.checks,
        cost_usd=made.call.usage.cost_usd,
        ran=(*runs_behind(services, spec, base, end.commit), *(run for proof in proofs for run in proof.ran)),
    )
    write_receipt(services, spec, gate, fix)
    for document, said in (("allowed", map(use_text, gate.allowed)), ("advice", advice_lines(gate.advice))):
        lines = dict.fromkeys([*_lines(services, spec, document), *said])
        services.ledger.put_document(spec.run_id, document, json.dumps(list(lines)))
    change = await asyncio.to_thread(repository.change, base, end.commit)
    dealt_with = touched([finding for finding in move.findings if finding.source == "review"], change)
    known = [*settled(services, spec), *(events.in_a_line(finding) for finding in dealt_with)]
    services.ledger.put_document(spec.run_id, "settled", json.dumps(list(dict.fromkeys(known))[-SETTLED:]))


@step("turn.v1")
async def turn_over(services: Services, spec: RunSpec, state: PullRunState, checks: ChecksSnapshot, turn: Turn) -> None:
    """Save the run's state after this turn, so that it can be shown while the run continues."""
    document = course_document(state, checks)
    services.ledger.put_document(spec.run_id, "course", events.as_json(document))
    services.ledger.event(spec.run_id, f"turn-{turn.number}", events.turned(turn))


@step("report.v1")
async def report(services: Services, spec: RunSpec, ending: Ending | None) -> ForgeFailure | None:
    return await tell(services, spec, ending)


async def tell(services: Services, spec: RunSpec, ending: Ending | None) -> ForgeFailure | None:
    """Update reknit's one comment on the pull request, and its check run if it may have one."""
    await _export(services, spec)
    pull, snapshot = spec.pull_target, load_value(services, spec, "sight")
    if not isinstance(snapshot, PullSnapshot) or not snapshot.head:
        return None  # nothing was seen, so there is nothing to report
    state = json.loads(services.ledger.document(spec.run_id, "course") or "{}")
    if state:
        state |= {document: _lines(services, spec, document) for document in ("allowed", "advice")}
    money = Spending(services.ledger.spent(spec.run_id), spec.limits.budget_usd)
    body = comment(spec.run_id, pull, state, ending, money=money, hop=snapshot.hop)
    checked = check_report(spec.run_id, pull, state, ending, money=money)
    last = state["turns"][-1] if state.get("turns") else {}

    def question(forge: Forge) -> None:
        if pull.comment:
            forge.comment(pull.number, f"pr-{pull.number}", body)
        if not snapshot.is_app:
            return
        forge.set_check(last.get("commit") or snapshot.head, checked)
        if last.get("commit"):  # the check run on the previous commit must not stay open forever
            forge.set_check(snapshot.head, superseded(checked, last["commit"]))

    answer = await ask(services, spec, question)
    if isinstance(answer, ForgeFailure):
        services.ledger.event(spec.run_id, f"report-{course_key(state, ending)}", events.not_reported(answer))
    return answer


def _lines(services: Services, spec: RunSpec, document: str) -> list[str]:
    """About all commits of the run."""
    known: list[str] = json.loads(services.ledger.document(spec.run_id, document) or "[]")
    return known


def course_key(state: dict[str, object], ending: Ending | None) -> str:
    turns = state.get("turns")
    return f"{len(turns) if isinstance(turns, list) else 0}-{ending.word if ending else 'going'}"


@step("wait_ci.v1")
async def wait_ci(services: Services, spec: RunSpec, state: PullRunState, checks: ChecksSnapshot, wait: Wait) -> None:
    until = services.clock() + wait.seconds
    event = events.waiting(wait, checks, until)
    key = f"i{state.number}-wait-{checks.head}-{state.errors}-{event.text}"
    services.ledger.event(spec.run_id, key, event)
    services.ledger.waiting(spec.run_id, event.text, until)
    await _export(services, spec)


wait_agent = step("wait_agent.v1")(plan_wait)


@step("end.v1")
async def end(services: Services, spec: RunSpec, ending: Ending) -> Ending:
    services.ledger.end(spec.run_id, ending)
    await _export(services, spec)
    return ending


async def _export(services: Services, spec: RunSpec) -> None:
    await asyncio.to_thread(services.pull_exports.publish, spec.repository, spec.run_id)
