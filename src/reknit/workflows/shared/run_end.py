"""Writes the ending of a run, and tells those who wait for it."""

import asyncio

from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services


async def end_run(services: Services, spec: RunSpec, ending: Ending) -> None:
    """Write the ending, then tell people and telemetry. The body of a step: it may run twice."""
    services.ledger.end(spec.run_id, ending)
    await asyncio.to_thread(services.announce_end, spec.run_id)
