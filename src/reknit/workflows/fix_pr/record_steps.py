"""The steps of the pull-request loop that write down what happened, tell the pull request, and announce waits."""

import asyncio
import json

from reknit.core.agents.call import Limited
from reknit.core.checks.status import TestsSeen
from reknit.core.fix_pr.answered import touched
from reknit.core.fix_pr.checks_snapshot import Picture
from reknit.core.fix_pr.output import events as told
from reknit.core.fix_pr.output.comment import check_report, comment, superseded
from reknit.core.fix_pr.output.documents import course_document
from reknit.core.fix_pr.push import Landed, NotLanded
from reknit.core.fix_pr.state import Course, Fix, Turn, Wait
from reknit.core.forge.pull_snapshot import Sight
from reknit.core.forge.values import Hindrance
from reknit.core.gate.verdict import GateVerdict
from reknit.core.runs.agent_rotation import Crew
from reknit.core.runs.attempt import Made
from reknit.core.runs.backoff import wait_seconds
from reknit.core.runs.ending import Ending
from reknit.core.runs.receipt import Receipt
from reknit.core.runs.spec import RunSpec
from reknit.ports.forge import Forge
from reknit.workflows.fix_pr.ci_history import settled
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared import agent_attempt as agent_work
from reknit.workflows.shared.forge_calls import ask, target
from reknit.workflows.shared.saved_values import kept

SETTLED = 50
"""Told to the next reviewer at most."""


@step("note.v1")
async def note(
    services: Services,
    spec: RunSpec,
    move: Fix,
    made: Made,
    gate: GateVerdict | None,
    end: Landed | NotLanded | None,
) -> None:
    """What became of an attempt. None: it was not made, for the agent could not work."""
    services.ledger.attempt_ended(spec.run_id, move.number, made.call, gate, told.proof_of(end, move.findings))
    if not isinstance(end, Landed) or gate is None:
        return
    await asyncio.to_thread(services.workspace(spec).ready, end.commit)
    repository = services.workspace(spec).repository
    base = repository.resolve(f"{end.commit}^")
    after = kept(services, spec, f"tests-{repository.tree_of(end.commit)}")
    passed = after.passed if isinstance(after, TestsSeen) else 0
    receipt = Receipt(
        finding=f"i{move.number}",
        tests=tuple(finding.subject for finding in move.findings),
        base=base,
        commit=end.commit,
        tree=repository.tree_of(end.commit),
        attempt=move.number,
        strategy=move.strategy,
        agent=move.agent,
        evidence=spec.tests.evidence,
        red_before=told.brief(move.findings),
        green_after=f"{passed} tests passed before the push; CI and the review look at the pushed commit",
        red_without=f"its parent {base[:7]} was seen with the failures",
        gate=f"{gate.files} file(s), +{gate.added} -{gate.removed}; {len(gate.rules)} rules, none refused",
        rules=gate.rules,
        box=spec.box,
        cost_usd=made.call.usage.cost_usd,
        command=spec.tests.argv,
    )
    services.ledger.receipt(spec.run_id, receipt)
    change = await asyncio.to_thread(repository.change, base, end.commit)
    dealt_with = touched([finding for finding in move.findings if finding.source == "review"], change)
    known = [*settled(services, spec), *(told.in_a_line(finding) for finding in dealt_with)]
    services.ledger.put_document(spec.run_id, "settled", json.dumps(list(dict.fromkeys(known))[-SETTLED:]))


@step("turn.v1")
async def turn_over(services: Services, spec: RunSpec, course: Course, picture: Picture, turn: Turn) -> None:
    """The course with this turn, for whoever looks while the run goes on."""
    document = course_document(course, picture)
    services.ledger.put_document(spec.run_id, "course", told.as_json(document))
    services.ledger.event(spec.run_id, f"turn-{turn.number}", told.turned(turn))


@step("report.v1")
async def report(services: Services, spec: RunSpec, ending: Ending | None) -> Hindrance | None:
    return await tell(services, spec, ending)


async def tell(services: Services, spec: RunSpec, ending: Ending | None) -> Hindrance | None:
    """The one comment of the pull request, and the check run where reknit may have one."""
    pull, sight = target(spec), kept(services, spec, "sight")
    if not isinstance(sight, Sight) or not sight.head:
        return None  # nothing was seen, so there is nothing to tell there
    course = json.loads(services.ledger.document(spec.run_id, "course") or "{}")
    money = {"spent_usd": services.ledger.spent(spec.run_id), "budget_usd": spec.limits.budget_usd}
    body = comment(spec.run_id, pull, course, ending, hop=sight.hop, **money)
    checked = check_report(spec.run_id, pull, course, ending, **money)
    last = course["turns"][-1] if course.get("turns") else {}

    def question(forge: Forge) -> None:
        if pull.comment:
            forge.comment(pull.number, f"pr-{pull.number}", body)
        if not sight.is_app:
            return
        forge.set_check(last.get("commit") or sight.head, checked)
        if last.get("commit"):  # what was said of the commit before must not stay open for ever
            forge.set_check(sight.head, superseded(checked, last["commit"]))

    answer = await ask(services, spec, question)
    if isinstance(answer, Hindrance):
        services.ledger.event(spec.run_id, f"report-{course_key(course, ending)}", told.not_reported(answer))
    return answer


def course_key(course: dict[str, object], ending: Ending | None) -> str:
    turns = course.get("turns")
    return f"{len(turns) if isinstance(turns, list) else 0}-{ending.word if ending else 'going'}"


@step("wait_ci.v1")
async def wait_ci(services: Services, spec: RunSpec, course: Course, picture: Picture, wait: Wait) -> None:
    until = services.clock() + wait.seconds
    event = told.waiting(wait, picture, until)
    key = f"i{course.number}-wait-{picture.head}-{course.errors}-{event.text}"
    services.ledger.event(spec.run_id, key, event)
    services.ledger.waiting(spec.run_id, event.text, until)


@step("wait_forge.v1")
async def wait_forge(services: Services, spec: RunSpec, course: Course, hindrance: Hindrance) -> float:
    now = services.clock()
    wait_s = wait_seconds(hindrance.until, course.hindered, spec.limits, now, spec.run_id)
    event = told.hindered(hindrance, now + wait_s, wait_s)
    services.ledger.event(spec.run_id, f"forge-{course.number}-{course.hindered}-{hindrance.kind}", event)
    services.ledger.waiting(spec.run_id, event.text, now + wait_s)
    return wait_s


@step("wait_agent.v1")
async def wait_agent(services: Services, spec: RunSpec, number: int, agent: str, limited: Limited, crew: Crew) -> float:
    """0: no wait, because another agent takes over."""
    return agent_work.plan_wait(services, spec, f"i{number}-{agent}", agent, limited, crew)


@step("end.v1")
async def end(services: Services, spec: RunSpec, ending: Ending) -> Ending:
    services.ledger.end(spec.run_id, ending)
    return ending
