"""The engine asked from outside: what is queued, where a run is, and what a slot left behind."""

from dataclasses import replace
from pathlib import Path

import pytest

from reknit.app.engine.client import (
    QUEUE,
    cancel_workflow,
    has_engine_tables,
    holds_work,
    list_cancelled,
    locate_run,
    open_client,
)
from reknit.app.installation import Installation
from reknit.core.runs.slot import POOL, Slot
from reknit.store.database import open_store
from reknit.workflows.registry import WORKFLOWS
from tests.tools.queued_runs import queue_in_engine
from tests.tools.recorded_runs import make_place, spec

SLOT = Slot(POOL, 0, "owner")


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return make_place(tmp_path)


def test_where_no_engine_ever_was_no_slot_holds_work(installation: Installation) -> None:
    assert not holds_work(installation, SLOT)
    assert not has_engine_tables(open_store(installation.database))


def test_a_queued_run_belongs_to_no_slot_until_it_is_stopped(installation: Installation) -> None:
    queue_in_engine(installation, spec("r-1"))
    assert has_engine_tables(open_store(installation.database))
    assert (locate_run(installation, "r-1"), locate_run(installation, "r-2")) == (("ENQUEUED", None), None)
    assert (list_cancelled(installation, ["r-1"]), holds_work(installation, SLOT)) == ([], False)
    cancel_workflow(installation, "r-1")
    assert locate_run(installation, "r-1") == ("CANCELLED", None)
    assert list_cancelled(installation, ["r-1", "r-2"]) == ["r-1"]


def test_a_run_in_a_slots_own_queue_is_its_work(installation: Installation) -> None:
    queue_in_engine(installation, spec("r-1"))
    options = {"workflow_name": WORKFLOWS["fix tests"].name, "queue_name": SLOT.queue, "workflow_id": "r-2"}
    with open_client(installation) as engine:
        engine.enqueue({**options, "app_version": POOL}, spec("r-2"))  # type: ignore[typeddict-item]
    assert (locate_run(installation, "r-2"), holds_work(installation, SLOT)) == (("ENQUEUED", 0), True)
    assert not holds_work(installation, replace(SLOT, number=1))


def test_enqueuing_again_changes_nothing(installation: Installation) -> None:
    queue_in_engine(installation, spec("r-1"))
    queue_in_engine(installation, spec("r-1"))
    with open_client(installation) as engine:
        assert [run.workflow_id for run in engine.list_queued_workflows(queue_name=QUEUE)] == ["r-1"]
