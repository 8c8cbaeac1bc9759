"""Everything that all loops do around an attempt: waits, records, landing and receipts."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from dbos import DBOS

from reknit.core.agents.call import RateLimited
from reknit.core.checks.tests import report_unproven
from reknit.core.errors import UnavailableError, UsageError
from reknit.core.fix_pr.output import events
from reknit.core.forge.values import ForgeFailure
from reknit.core.gate.verdict import GateVerdict
from reknit.core.runs import attempt_events
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.attempt import AttemptResult, RunProgress
from reknit.core.runs.backoff import compute_shortest_wait_s, compute_wait_s
from reknit.core.runs.outage_text import explain_unlanded_fix
from reknit.core.runs.receipt import LandedFix, make_receipt
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.proof import Proof
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step

P = TypeVar("P", bound=RunProgress)


async def announce_wait(
    services: Services, spec: RunSpec, key: str, agent: str, limited: RateLimited, rotation: AgentRotation
) -> float:
    """Announce a wait and return its length; 0 if another agent takes over instead. The body of a step."""
    now = services.clock()
    times = [limited.until, *(until for _, until in rotation.resting)]
    wait_s = compute_shortest_wait_s(times, rotation.unnamed_waits - 1, spec.limits, now, spec.run_id)
    key = f"{key}-wait-{rotation.waits - 1}"
    if rotation.should_fall_over(agent, wait_s, spec.limits):
        after = next(name for name in rotation.ready if name != agent)
        services.ledger.put_event(spec.run_id, key, attempt_events.report_fall_over(limited, agent, after, wait_s))
        return 0.0
    event = attempt_events.report_wait(limited, agent, now + wait_s, wait_s)
    services.ledger.put_event(spec.run_id, key, event)
    services.ledger.set_waiting(spec.run_id, event.text, now + wait_s)
    return wait_s


async def record_attempt(
    services: Services, spec: RunSpec, number: int, attempt: AttemptResult,
    gate: GateVerdict | None = None, proof: Proof | None = None,
) -> None:  # fmt: skip
    """Record the end of an attempt; without a verdict, the agent could not work. The body of a step."""
    services.ledger.end_attempt(spec.run_id, number, attempt.call, gate, proof)


def refuse_proof(services: Services, spec: RunSpec, number: int, why: str) -> str:
    """Report why the change of an attempt does not count, although it breaks no test, and return the reason."""
    if why:
        services.ledger.put_event(spec.run_id, f"attempt-{number}-unproven", report_unproven(number, why))
    return why


async def sleep_as_planned(plan: Awaitable[float]) -> float:
    """Sleep as long as `plan` returns: a step that announced the wait."""
    wait_s = await plan
    await DBOS.sleep_async(wait_s)
    return wait_s


async def wait_or_record(
    after: P, agent: str, attempt: AttemptResult, *, continues: bool,
    plan: Callable[[RateLimited, AgentRotation], Awaitable[float]], note: Callable[[], Awaitable[None]],
) -> P:  # fmt: skip
    """Wait for a rate limit, or record the attempt of an agent that could not work.

    `continues`: False if the run ends anyway, so that there is no point in waiting first.
    """
    limited = attempt.call.outcome
    if not continues or not isinstance(limited, RateLimited):
        await note()
        return after
    wait_s = await sleep_as_planned(plan(limited, after.rotation))
    return after.after_wait(agent, limited, wait_s)


LAST_TRIES = 3
"""Maximum tries to write to the pull request; then the run continues without it."""


@step("wait_forge.v1")
async def wait_forge(services: Services, spec: RunSpec, failure: ForgeFailure, waits: int, number: int = 1) -> float:
    """Announce a wait for the forge. `waits`: waits in a row so far. `number`: number of the iteration."""
    now = services.clock()
    wait_s = compute_wait_s(failure.until, waits, spec.limits, now, spec.run_id)
    event = events.report_forge_wait(failure, now + wait_s, wait_s)
    services.ledger.put_event(spec.run_id, f"forge-{number}-{waits}-{failure.kind}", event)
    services.ledger.set_waiting(spec.run_id, event.text, now + wait_s)
    return wait_s


async def report_with_retries(spec: RunSpec, report: Callable[[], Awaitable[ForgeFailure | None]]) -> None:
    """Write a report to the forge, with a few retries while it is rate limited or unreachable."""
    for waits in range(LAST_TRIES):
        failure = await report()
        if not isinstance(failure, ForgeFailure) or failure.kind not in ("limited", "unreachable"):
            return
        if waits + 1 < LAST_TRIES:
            await sleep_as_planned(wait_forge(spec, failure, waits))


async def land_commit(services: Services, spec: RunSpec, commit: str) -> None:
    """Land a commit in the user's repository. If that fails, offer the fix as a patch and park the run."""
    workspace = services.workspace(spec)
    try:
        await asyncio.to_thread(workspace.repository.land, spec.repository, commit, spec.branch)
    except UsageError as problem:
        patch = await asyncio.to_thread(workspace.keep_patch, "proven.patch", spec.base, commit)
        raise UnavailableError(
            problem.name, explain_unlanded_fix(problem, patch, spec.branch), help=problem.help
        ) from problem


def write_receipt(services: Services, spec: RunSpec, gate: GateVerdict, fix: LandedFix) -> None:
    """Save the receipt of a landed fix."""
    tree = services.workspace(spec).repository.tree_of(fix.commit)
    services.ledger.put_receipt(spec.run_id, make_receipt(fix, tree, spec, gate))
