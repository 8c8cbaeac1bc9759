"""What a run does is kept in the database while it does it, and gone afterwards."""

import asyncio
import json

import pytest

from reknit.core.live.activity import DOCUMENT, Activity
from reknit.workflows.shared import activity as shared
from reknit.workflows.shared.activity import show_activity
from tests.workflows.shared.conftest import Scene


def test_each_change_is_stored_and_the_end_leaves_nothing(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "EVERY_S", 0.0)
    services, spec = scene
    now = [Activity("claude", ("reads a.py",))]

    def stored() -> list[str]:
        lines = json.loads(services.ledger.document(spec.run_id, DOCUMENT) or "{}").get("lines", [])
        return [str(line) for line in lines]

    async def wait_for(line: str) -> None:
        async with asyncio.timeout(20):
            while stored() != [line]:
                await asyncio.sleep(0)

    async def work() -> None:
        async with show_activity(services, spec, lambda: now[0]):
            await wait_for("reads a.py")
            now[0] = Activity("claude", ("edits a.py",))
            await wait_for("edits a.py")

    asyncio.run(work())
    assert stored() == []
    asyncio.run(_fail_within(scene))
    assert services.ledger.document(spec.run_id, DOCUMENT) == "{}"


async def _fail_within(scene: Scene) -> None:
    """A block that fails fails with its own error, and nothing is written for a run that showed nothing."""
    with pytest.raises(ZeroDivisionError):
        async with show_activity(*scene, Activity):
            raise ZeroDivisionError
