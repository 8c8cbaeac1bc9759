"""Which queued runs a worker sees."""

import sqlalchemy as sa

from reknit.core.runs.ending import Ending
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.run_queue import QueuedRun, RunQueue
from tests.tools.recorded_runs import spec


def test_the_oldest_of_a_pool_first(store: sa.Engine) -> None:
    ledger, queue = SqlRunLedger(store), RunQueue(store)
    for run_id, created_at, pool in (("r-1", 3.0, "p"), ("r-2", 1.0, "p"), ("r-3", 2.0, "q"), ("r-4", 2.0, "p")):
        ledger.create(spec(run_id, created_at=created_at))
        queue.add(run_id, pool)
    assert [run.id for run in queue.oldest("p", 10)] == ["r-2", "r-4", "r-1"]
    assert [run.id for run in queue.oldest("p", 1)] == ["r-2"]
    queue.remove("r-2")
    queue.remove("r-2")
    assert (queue.holds("r-2"), queue.holds("r-4")) == (False, True)


def test_an_ended_run_is_marked(store: sa.Engine) -> None:
    ledger, queue = SqlRunLedger(store), RunQueue(store)
    ledger.create(spec("r-1"))
    queue.add("r-1", "p")
    ledger.end("r-1", Ending("CANCELLED", "by a person"))
    assert queue.oldest("p", 10) == [QueuedRun("r-1", "fix tests", has_ended=True)]
