"""The steps of `fix pr` that record what happened, update the pull request, and announce waits."""

import asyncio
import json

from reknit.core.checks.proof import NOT_ASKED, ProofText, render_proof
from reknit.core.fix_pr.checks import ChecksSnapshot
from reknit.core.fix_pr.output import events
from reknit.core.fix_pr.output.comment import mark_superseded, render_check_report, render_comment
from reknit.core.fix_pr.output.documents import to_course_document
from reknit.core.fix_pr.push import NotPushed, Pushed, find_touched
from reknit.core.fix_pr.state import Fix, PullRunState, Turn, Wait, list_target_tests
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.forge.permission import PullSnapshot
from reknit.core.forge.values import ForgeFailure
from reknit.core.gate.verdict import GateVerdict, render_advice
from reknit.core.gate.waiver import render_use
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.ending import Ending
from reknit.core.runs.receipt import LandedFix
from reknit.core.runs.spec import RunSpec
from reknit.ports.forge import Forge
from reknit.workflows.fix_pr.ci_history import load_settled_findings
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.attempt_cycle import announce_wait, record_attempt, write_receipt
from reknit.workflows.shared.forge_calls import ask_forge
from reknit.workflows.shared.proofs import load_asked_proof
from reknit.workflows.shared.saved_values import load_value
from reknit.workflows.shared.tests_check import list_test_runs, load_tests_result

MAX_SETTLED_FINDINGS = 50
"""Maximum number of settled findings that the next reviewer is shown."""


@step("note.v1")
async def note(
    services: Services,
    spec: RunSpec,
    move: Fix,
    attempt: AttemptResult,
    gate: GateVerdict | None,
    end: Pushed | NotPushed | None,
) -> None:
    """Record the outcome of an attempt. `end` is None if the agent could not work."""
    await record_attempt(services, spec, move.number, attempt, gate, events.to_proof(end, move.findings))
    if not isinstance(end, Pushed) or gate is None:
        return
    await asyncio.to_thread(services.workspace(spec).ensure_commits, end.commit)
    repository = services.workspace(spec).repository
    base = repository.resolve(f"{end.commit}^")
    after = load_tests_result(services, spec, end.commit)
    passed = after.passed if after else 0
    proofs = load_asked_proof(services, spec, end.commit)
    otherwise = ProofText(
        red_before=events.summarize_target(move.findings),
        green_after=f"{passed} tests passed before the push; CI and the review look at the pushed commit",
        red_without=f"its parent {base[:7]} had the failures" if list_target_tests(move) else NOT_ASKED,
    )
    text = render_proof(proofs, base, otherwise)
    fix = LandedFix(
        finding=f"i{move.number}",
        tests=tuple(finding.subject for finding in move.findings),
        base=base,
        commit=end.commit,
        attempt=move.number,
        strategy=move.strategy,
        agent=move.agent,
        evidence=spec.evidence,
        **vars(text),
        cost_usd=attempt.call.usage.cost_usd,
        ran=(*list_test_runs(services, spec, base, end.commit), *(run for proof in proofs for run in proof.ran)),
    )
    write_receipt(services, spec, gate, fix)
    for document, new_lines in (("allowed", map(render_use, gate.allowed)), ("advice", render_advice(gate.advice))):
        lines = dict.fromkeys([*_lines(services, spec, document), *new_lines])
        services.ledger.put_document(spec.run_id, document, json.dumps(list(lines)))
    change = await asyncio.to_thread(repository.change, base, end.commit)
    dealt_with = find_touched([finding for finding in move.findings if finding.source == "review"], change)
    settled_lines = [
        *load_settled_findings(services, spec),
        *(events.format_finding_line(finding) for finding in dealt_with),
    ]
    services.ledger.put_document(
        spec.run_id, "settled", json.dumps(list(dict.fromkeys(settled_lines))[-MAX_SETTLED_FINDINGS:])
    )


@step("turn.v1")
async def save_turn(services: Services, spec: RunSpec, state: PullRunState, checks: ChecksSnapshot, turn: Turn) -> None:
    """Save the run's state after this turn, so that it can be shown while the run continues."""
    document = to_course_document(state, checks)
    services.ledger.put_document(spec.run_id, "course", events.to_json(document))
    services.ledger.put_event(spec.run_id, f"turn-{turn.number}", events.report_turn(turn))


@step("report.v1")
async def report(services: Services, spec: RunSpec, ending: Ending | None) -> ForgeFailure | None:
    """Update the comment and the check run of the pull request."""
    return await update_pull_request(services, spec, ending)


async def update_pull_request(services: Services, spec: RunSpec, ending: Ending | None) -> ForgeFailure | None:
    """Update reknit's one comment on the pull request, and its check run if it may have one."""
    await _export(services, spec)
    pull, snapshot = spec.task_as(FixPullRequest), load_value(services, spec, "sight")
    if not isinstance(snapshot, PullSnapshot) or not snapshot.head:
        return None  # nothing was seen, so there is nothing to report
    state = json.loads(services.ledger.document(spec.run_id, "course") or "{}")
    if state:
        state |= {document: _lines(services, spec, document) for document in ("allowed", "advice")}
    money = services.ledger.read_spending(spec.run_id)
    body = render_comment(spec.run_id, pull, state, ending, money=money, hop=snapshot.hop)
    checked = render_check_report(spec.run_id, pull, state, ending, money=money)
    last = state["turns"][-1] if state.get("turns") else {}

    def question(forge: Forge) -> None:
        if pull.comment:
            forge.comment(pull.number, f"pr-{pull.number}", body)
        if not snapshot.is_app:
            return
        forge.set_check(last.get("commit") or snapshot.head, checked)
        if last.get("commit"):  # the check run on the previous commit must not stay open forever
            forge.set_check(snapshot.head, mark_superseded(checked, last["commit"]))

    answer = await ask_forge(services, spec, question)
    if isinstance(answer, ForgeFailure):
        services.ledger.put_event(
            spec.run_id, f"report-{make_report_key(state, ending)}", events.report_failed_update(answer)
        )
    return answer


def _lines(services: Services, spec: RunSpec, document: str) -> list[str]:
    """Return the lines that the run has saved about all its commits."""
    lines: list[str] = json.loads(services.ledger.document(spec.run_id, document) or "[]")
    return lines


def make_report_key(state: dict[str, object], ending: Ending | None) -> str:
    """Return the key of the event about a failed report, unique for each turn."""
    turns = state.get("turns")
    return f"{len(turns) if isinstance(turns, list) else 0}-{ending.word if ending else 'going'}"


@step("wait_ci.v1")
async def wait_ci(services: Services, spec: RunSpec, state: PullRunState, checks: ChecksSnapshot, wait: Wait) -> None:
    """Announce a wait for CI."""
    until = services.clock() + wait.seconds
    event = events.report_wait(wait, checks, until)
    key = f"i{state.number}-wait-{checks.head}-{state.errors}-{event.text}"
    services.ledger.put_event(spec.run_id, key, event)
    services.ledger.set_waiting(spec.run_id, event.text, until)
    await _export(services, spec)


wait_agent = step("wait_agent.v1")(announce_wait)


@step("end.v1")
async def end(services: Services, spec: RunSpec, ending: Ending) -> Ending:
    """End the run, and tell subscribed windows."""
    services.ledger.end(spec.run_id, ending)
    await _export(services, spec)
    return ending


async def _export(services: Services, spec: RunSpec) -> None:
    await asyncio.to_thread(services.state_exports.publish, spec.repository, spec.run_id)
