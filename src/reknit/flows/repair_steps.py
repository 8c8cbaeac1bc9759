"""The steps of the repair loop. Each may run twice: it starts by restoring what it needs."""

import asyncio
from dataclasses import replace

from reknit.core import wording
from reknit.core.agent_call import AgentCall, AgentOrder, Limited
from reknit.core.baseline import Baseline, settle
from reknit.core.endings import TRIED, Ending
from reknit.core.evidence import digest
from reknit.core.gate import judge as judge_change
from reknit.core.gate.scope import Scope
from reknit.core.quota import wait_for_first
from reknit.core.receipt import Receipt
from reknit.core.repair import Progress, Try, falls_over
from reknit.core.run import RunSpec, attempt_ref
from reknit.core.runners import project_root
from reknit.core.test_scripts import started_files, with_link_targets
from reknit.core.user_command import as_typed
from reknit.core.verdict import GateVerdict, Proof
from reknit.flows.clerk import RunClerk
from reknit.flows.codec import CODEC
from reknit.flows.made import Made
from reknit.flows.rooms import attempt_room, test
from reknit.flows.services import Services
from reknit.flows.steps import step
from reknit.flows.verification import asked, candidate, keep_baseline, known_baseline, proven

SUITE_RUNS = 2
"""How often the whole suite runs on base: once shows red or green, twice shows flaky."""

FINDINGS_TOLD = 10
"""One by one; the document of the baseline has them all."""


@step("observe.v1", preemptible=True)
async def observe(services: Services, spec: RunSpec) -> Baseline:
    await asyncio.to_thread(services.workspace(spec).ready)
    services.ledger.event(spec.run_id, "started", wording.opening(spec))
    whole = [await test(services, spec, f"base-{number}", spec.base) for number in range(SUITE_RUNS)]
    red = sorted(whole[0].failed & whole[-1].failed)
    alone = await test(services, spec, "base-red", spec.base, only=red) if red and spec.tests.select else None
    baseline = settle(whole, alone, spec.named)
    services.ledger.event(spec.run_id, "baseline", wording.baseline_seen(baseline, spec.base))
    for finding in baseline.findings[:FINDINGS_TOLD]:
        services.ledger.event(spec.run_id, f"finding-{finding.id}", wording.finding_seen(finding))
    if len(baseline.findings) > FINDINGS_TOLD:
        services.ledger.event(spec.run_id, "findings-more", wording.more_findings(baseline.findings[FINDINGS_TOLD:]))
    answered_by = "" if spec.again else services.ledger.remembered(asked(services, spec, baseline))
    return keep_baseline(services, spec, replace(baseline, answered_by=answered_by))


@step("attempt.v1", preemptible=True)
async def attempt(services: Services, spec: RunSpec, move: Try, progress: Progress) -> Made:
    """The agent works in a fresh copy; what it left is kept under a private ref, whatever comes of it."""
    agent = services.agent(spec.agent_named(move.agent))
    if until := services.accounts.not_before(agent.account):
        resting = AgentCall(Limited("rate_limited", until))  # known from another run: the provider is not even asked
        return Made(resting, progress.head, (), services.clock(), services.ledger.spent(spec.run_id))
    ledger, name = services.ledger, f"attempt-{move.number}"
    starts = ledger.attempt_started(spec.run_id, move.number, move.finding, move.strategy, move.agent)
    begins = wording.attempt_begins(move.number, move.finding, move.strategy, move.agent)
    ledger.event(spec.run_id, f"{name}-begins-{starts}", begins)
    room = await attempt_room(services, spec, move.number, progress.head)
    clerk = RunClerk(ledger, services.accounts, spec.run_id, f"{name}-{starts}")
    call = await agent.work(_order(services, spec, move, progress), room, services.box(spec.box), clerk)
    clerk.spent(call.usage.cost_usd)
    repository, ref = services.workspace(spec).repository, attempt_ref(spec.run_id, move.number, "after")
    at = services.clock()
    change = await asyncio.to_thread(repository.snapshot, room.tree, progress.head, ref, skip=room.carry, at=at)
    told = wording.attempt_made(move.number, move.strategy, move.agent, call, change.paths)
    ledger.event(spec.run_id, f"{name}-made-{starts}", told)
    for place, refusal in enumerate(call.refusals):
        refused = wording.gateway_refused(move.number, refusal)
        ledger.event(spec.run_id, f"{name}-gateway-{starts}-{place}", refused)
    await asyncio.to_thread(services.workspace(spec).close, name)
    return Made(call, repository.resolve(ref), change.unsafe, at, ledger.spent(spec.run_id))


def _order(services: Services, spec: RunSpec, move: Try, progress: Progress) -> AgentOrder:
    limits = spec.limits
    before = [tried.feedback for tried in progress.attempts_on(move.finding)]
    facts = {
        "finding": move.finding,
        "command": as_typed(spec.tests),
        "evidence": digest(progress.left) if len(progress.left) > 1 else "",
        "strategy": move.strategy,
        "feedback": before[-1] if before else "",
        "attempt": progress.tries_on(move.finding, limits) + 1,
        "attempts": limits.attempts,
    }
    return AgentOrder(
        run_id=spec.run_id,
        attempt=move.number,
        strategy=move.strategy,
        prompt=services.prompt("fix_tests", facts),
        wall_s=limits.agent_wall_s,
        idle_s=limits.agent_idle_s,
        turns=limits.agent_turns,
        budget_usd=limits.budget_usd - services.ledger.spent(spec.run_id),
        folder=services.workspace(spec).kept(f"attempt-{move.number}.log"),
    )


@step("plan_wait.v1")
async def plan_wait(services: Services, spec: RunSpec, move: Try, limited: Limited, progress: Progress) -> float:
    """0: no wait, because another agent takes over."""
    now, waits = services.clock(), progress.waits - 1
    times = [limited.until, *(until for _, until in progress.tired)]
    wait_s = wait_for_first(times, progress.unnamed_waits - 1, spec.limits, now, spec.run_id)
    key = f"attempt-{move.number}-wait-{waits}"
    if falls_over(progress, move.agent, wait_s, spec.limits):
        after = next(name for name in progress.ready if name != move.agent)
        services.ledger.event(spec.run_id, key, wording.falling_over(limited, move.agent, after, wait_s))
        return 0.0
    told = wording.waiting(limited, move.agent, now + wait_s, wait_s)
    services.ledger.event(spec.run_id, key, told)
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
    workspace = services.workspace(spec)
    await asyncio.to_thread(workspace.ready, progress.head, made.after)
    name = f"proof-{move.finding.id}-{progress.head}-{workspace.repository.tree_of(made.after)}"
    if known := services.ledger.document(spec.run_id, name):  # an earlier attempt left this very tree
        proof: Proof = replace(CODEC.deserialize(known), seconds=0.0, remembered=True)
    else:
        proof = await proven(services, spec, move, progress, made, known_baseline(services, spec))
        if proof.word != "unseen":  # what could not be seen once may be seen the next time
            services.ledger.put_document(spec.run_id, name, CODEC.serialize(proof))
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
) -> None:
    services.ledger.attempt_ended(spec.run_id, move.number, made.call, gate, proof)


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
        agent=move.agent,
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
    if ending.cause == TRIED:
        await asyncio.to_thread(services.workspace(spec).ready)
        services.ledger.remember(asked(services, spec, known_baseline(services, spec)), spec.run_id)
    services.ledger.end(spec.run_id, ending)
    return ending
