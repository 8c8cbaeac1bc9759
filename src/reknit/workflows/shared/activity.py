"""Keeps in the database what a run does at this moment, for everybody who watches it. Nothing is decided by it."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable

from reknit.core.live.activity import DOCUMENT, Activity, to_document
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services

EVERY_S = 1.0
"""Often enough that an edit is on the screen within two seconds."""


@contextlib.asynccontextmanager
async def show_activity(services: Services, spec: RunSpec, observe: Callable[[], Activity]) -> AsyncIterator[None]:
    """Store what `observe` returns whenever it changes, as long as the block runs. At its end nothing is shown."""
    last_stored = [Activity()]

    async def keep_current() -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            activity = await asyncio.to_thread(observe)
            if activity != last_stored[0]:
                services.ledger.put_document(spec.run_id, DOCUMENT, json.dumps(to_document(activity)))
                last_stored[0] = activity

    task = asyncio.create_task(keep_current())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        if last_stored[0] != Activity():
            services.ledger.put_document(spec.run_id, DOCUMENT, "{}")
