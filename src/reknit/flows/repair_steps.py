"""The steps of the repair loop. Each may run twice: it starts by restoring what it needs."""

import asyncio
from dataclasses import replace

from reknit.core import wording
from reknit.core.agent_call import AgentCall, AgentOrder, Limited
from reknit.core.baseline import Baseline, settle
from reknit.core.box import Room
from reknit.core.endings import Ending
from reknit.core.errors import UsageProblem
from reknit.core.gate import judge as judge_change
from reknit.core.gate.scope import Scope
from reknit.core.receipt import Receipt
from reknit.core.repair import Progress, Try, wait_seconds
from reknit.core.run import RunSpec, attempt_ref
from reknit.core.runners import project_root
from reknit.core.test_scripts import started_files, with_link_targets
from reknit.core.user_command import as_typed
from reknit.core.verdict import GateVerdict, Proof
from reknit.flows.made import Made
from reknit.flows.rooms import furnish, test
from reknit.flows.services import Services
from reknit.flows.steps import step
from reknit.flows.verification import candidate, keep_baseline, known_baseline, proven

SUITE_RUNS = 2
"""How often the whole suite runs on base: once shows red or green, twice shows flaky."""


@step("observe.v1", preemptible=True)
async def observe(services: Services, spec: RunSpec) -> Baseline:
    await asyncio.to_thread(services.workspace(spec).ready)
    services.ledger.event(spec.run_id, "started", wording.opening(spec))
    whole = [await test(services, spec, f"base-{number}", spec.base) for number in range(SUITE_RUNS)]
    red = sorted(whole[0].failed & whole[-1].failed)
    alone = await test(services, spec, "base-red", spec.base, only=red) if red and spec.tests.select else None
    baseline = settle(whole, alone, spec.named)
    services.ledger.event(spec.run_id, "baseline", wording.baseline_seen(baseline, spec.base))
    for finding in baseline.findings:
        services.ledger.event(spec.run_id, f"finding-{finding.id}", wording.finding_seen(finding))
    return keep_baseline(services, spec, baseline)


@step("attempt.v1", preemptible=True)
async def attempt(services: Services, spec: RunSpec, move: Try, progress: Progress) -> Made:
    """The agent works in a fresh copy; what it left is kept under a private ref, whatever comes of it."""
    workspace = services.workspace(spec)
    await asyncio.to_thread(workspace.ready, progress.head)
    name, agent = f"attempt-{move.number}", spec.agent.name
    services.ledger.attempt_started(spec.run_id, move.number, move.finding, move.strategy)
    begins = wording.attempt_begins(move.number, move.finding, move.strategy, agent)
    services.ledger.event(spec.run_id, f"{name}-begins", begins)
    before = attempt_ref(spec.run_id, move.number, "before")
    await asyncio.to_thread(workspace.repository.keep, before, progress.head)
    room = await furnish(services, spec, name, progress.head)
    if not isinstance(room, Room):
        raise UsageProblem("setup", room.why, help=f"it printed: {room.output_tail[-300:]}")
    call = await _call(services, spec, move, progress, room)
    at = services.clock()
    ref = attempt_ref(spec.run_id, move.number, "after")
    change = await asyncio.to_thread(
        workspace.repository.snapshot, room.tree, progress.head, ref, skip=room.carry, at=at
    )
    made = Made(call, workspace.repository.resolve(ref), change.unsafe, at)
    told = wording.attempt_made(move.number, move.strategy, agent, call, change.paths)
    services.ledger.event(spec.run_id, f"{name}-made-{progress.waits}", told)
    await asyncio.to_thread(workspace.close, name)
    return made


async def _call(services: Services, spec: RunSpec, move: Try, progress: Progress, room: Room) -> AgentCall:
    limits = spec.limits
    before = [tried.feedback for tried in progress.attempts_on(move.finding)]
    facts = {
        "finding": move.finding,
        "command": as_typed(spec.tests),
        "feedback": before[-1] if before else "",
        "attempt": len(before) + 1,
        "attempts": limits.attempts,
    }
    order = AgentOrder(
        run_id=spec.run_id,
        attempt=move.number,
        strategy=move.strategy,
        prompt=services.prompt(f"fix_tests.{move.strategy}", facts),
        wall_s=limits.agent_wall_s,
        idle_s=limits.agent_idle_s,
        turns=limits.agent_turns,
        budget_usd=limits.budget_usd - progress.spent_usd,
        folder=services.workspace(spec).kept(f"attempt-{move.number}.log"),
    )
    return await services.agent(spec.agent).fix(order, room, services.box(spec.box))


@step("plan_wait.v1")
async def plan_wait(services: Services, spec: RunSpec, move: Try, limited: Limited, progress: Progress) -> float:
    now, waits = services.clock(), progress.waits - 1
    wait_s = wait_seconds(limited, waits, spec.limits, now)
    told = wording.waiting(limited, spec.agent.name, now + wait_s, wait_s)
    services.ledger.event(spec.run_id, f"attempt-{move.number}-wait-{waits}", told)
    services.ledger.spent(spec.run_id, progress.spent_usd)
    services.ledger.waiting(spec.run_id, told.text, now + wait_s)
    return wait_s


@step("judge.v1")
async def judge(services: Services, spec: RunSpec, move: Try, progress: Progress, made: Made) -> GateVerdict:
    workspace = services.workspace(spec)
    await asyncio.to_thread(workspace.ready, progress.head, made.after)
    change = await asyncio.to_thread(workspace.repository.change, progress.head, made.after)
    tracked = await asyncio.to_thread(workspace.repository.paths, progress.head)
    links = await asyncio.to_thread(workspace.repository.links, progress.head)
    scope = Scope(
        findings_files=with_link_targets(known_baseline(services, spec).test_files, links),
        project_root=project_root(move.finding.file, tracked) if move.finding.file else "",
        changed_files=spec.limits.changed_files,
        changed_lines=spec.limits.changed_lines,
        runner=spec.tests.runner,
        started_files=started_files(spec.tests, workspace.repository.read(progress.head, spec.tests.origin), tracked),
    )
    verdict = await asyncio.to_thread(judge_change, replace(change, unsafe=made.unsafe), scope)
    services.ledger.event(spec.run_id, f"attempt-{move.number}-gate", wording.gate_said(move.number, verdict))
    return verdict


@step("verify.v1", preemptible=True)
async def verify(services: Services, spec: RunSpec, move: Try, progress: Progress, made: Made) -> Proof:
    await asyncio.to_thread(services.workspace(spec).ready, progress.head, made.after)
    proof = await proven(services, spec, move, progress, made, known_baseline(services, spec))
    services.ledger.event(spec.run_id, f"attempt-{move.number}-verify", wording.proof_said(move.number, proof))
    return proof


@step("record.v1")
async def record(
    services: Services,
    spec: RunSpec,
    move: Try,
    made: Made,
    gate: GateVerdict | None,
    proof: Proof | None,
    spent_usd: float,
) -> None:
    services.ledger.attempt_ended(spec.run_id, move.number, made.call, gate, proof)
    services.ledger.spent(spec.run_id, spent_usd)


@step("land.v1")
async def land(
    services: Services, spec: RunSpec, move: Try, progress: Progress, made: Made, gate: GateVerdict, proof: Proof
) -> str:
    """The same commit however often this runs: its content, message and time were fixed before."""
    workspace = services.workspace(spec)
    await asyncio.to_thread(workspace.ready, progress.head, made.after)
    commit = await asyncio.to_thread(candidate, services, spec, move, progress, made, proof.fixed)
    await asyncio.to_thread(workspace.repository.land, spec.repository, commit, spec.branch)
    subject = wording.commit_subject(move.finding, move.number)
    receipt = Receipt(
        finding=move.finding.id,
        tests=proof.fixed,
        base=progress.head,
        commit=commit,
        tree=workspace.repository.tree_of(commit),
        attempt=move.number,
        strategy=move.strategy,
        agent=spec.agent.name,
        evidence=proof.evidence,
        red_before=f"{move.finding.subject} was red every time on {spec.base[:7]}",
        green_after=proof.sentence,
        red_without=f"{len(proof.fixed)} test(s) were red again with the source change taken away",
        gate=f"{gate.files} file(s), +{gate.added} -{gate.removed}; {len(gate.rules)} rules, none refused",
        rules=gate.rules,
        box=spec.box,
        cost_usd=made.call.usage.cost_usd,
        command=spec.tests.argv,
    )
    services.ledger.receipt(spec.run_id, receipt)
    services.ledger.event(spec.run_id, f"attempt-{move.number}-land", wording.landed(commit, spec.branch, subject))
    return commit


@step("finish.v1")
async def finish(services: Services, spec: RunSpec, ending: Ending) -> Ending:
    services.ledger.end(spec.run_id, ending)
    return ending
