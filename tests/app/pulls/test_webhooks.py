"""A forge's webhook reaches the runs it may concern, each delivery once, and nobody else."""

from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from reknit.app.installation import Installation, installation
from reknit.app.pulls.webhooks import pass_on
from reknit.core.agents.call import AgentSettings
from reknit.core.forge.pull_snapshot import PullSnapshot
from reknit.core.forge.webhook import WebhookEvent
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.store.database import is_sqlite, open_engine, open_store
from reknit.store.runs.ledger import SqlRunLedger
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.topics import HINT
from tests.tools.pull_samples import TARGET
from tests.tools.queued_runs import queue_in_engine

A, B = "a" * 40, "b" * 40


def open_run(place: Installation, run_id: str, slug: str, number: int, head: str = "", *, ended: bool = False) -> None:
    """One that waits for a worker, has its pull request, and has looked at that head."""
    target = replace(TARGET, place=replace(TARGET.place, slug=slug), number=number)
    tests = TestCommand("pytest", ("pytest",), "junit")
    spec = RunSpec(run_id, "fix pr", "/shop", A, tests, (), AgentSettings("claude", "claude"), pull=target)
    queue_in_engine(place, spec)
    database = open_store(place.database)
    ledger = SqlRunLedger(database)
    ledger.claim(target.key, run_id)
    if head:
        ledger.put_document(run_id, "sight", CODEC.serialize(PullSnapshot(head, B, 1)))
    if ended:
        ledger.end(run_id, Ending("CLEAN", "all pass"))
    database.dispose()


def messages(place: Installation) -> list[tuple[str, str]]:
    """(run, topic) of all that was sent, oldest first."""
    database = open_engine(place.database)
    schema = "" if is_sqlite(place.database) else "dbos."
    query = f"SELECT destination_uuid, topic FROM {schema}notifications ORDER BY created_at_epoch_ms"
    with database.connect() as db:
        found = [(str(run_id), str(topic)) for run_id, topic in db.execute(sa.text(query))]
    database.dispose()
    return found


@pytest.fixture
def place(tmp_path: Path) -> Installation:
    """With runs on several pull requests."""
    made = installation({"REKNIT_STATE": str(tmp_path / "state")})
    open_run(made, "r-one", "acme/shop", 1, A)
    open_run(made, "r-two", "acme/shop", 2, B)
    open_run(made, "r-new", "acme/shop", 3)
    open_run(made, "r-done", "acme/shop", 4, A, ended=True)
    open_run(made, "r-other", "acme/other", 1, A)
    return made


def test_the_right_runs_are_told(place: Installation) -> None:
    cases = {
        "its pull request is named": (WebhookEvent("d1", "acme/shop", number=1), {"r-one"}),
        "it is named in other letters": (WebhookEvent("d2", "Acme/Shop", number=2), {"r-two"}),
        "it is named with a commit that is not looked at": (WebhookEvent("d3", "acme/shop", A, 2), {"r-two"}),
        "only the commit is named": (WebhookEvent("d4", "acme/shop", B), {"r-two"}),
        "a commit that nobody looks at": (WebhookEvent("d5", "acme/shop", "c" * 40), set()),
        "neither is named": (WebhookEvent("d6", "acme/shop"), {"r-one", "r-two", "r-new"}),
        "a run that has not looked yet": (WebhookEvent("d7", "acme/shop", number=3), {"r-new"}),
        "a run that has ended": (WebhookEvent("d8", "acme/shop", number=4), set()),
        "another repository": (WebhookEvent("d9", "acme/other", A), {"r-other"}),
        "a repository that nobody works on": (WebhookEvent("d10", "acme/sho"), set()),
    }
    told = {case: set(pass_on(place, event)) for case, (event, _) in cases.items()}
    assert told == {case: expected for case, (_, expected) in cases.items()}
    sent = sorted(run_id for _, runs in cases.values() for run_id in runs)
    assert sorted(messages(place)) == [(run_id, HINT) for run_id in sent]


def test_a_delivery_that_comes_twice_is_passed_on_once(database_url: str, tmp_path: Path) -> None:
    place = installation({"REKNIT_STATE": str(tmp_path / "state"), "REKNIT_DATABASE": database_url})
    open_run(place, "r-one", "acme/shop", 1, A)
    again = [pass_on(place, WebhookEvent(delivery, "acme/shop", A)) for delivery in ("d1", "d1", "d2", "d1")]
    assert again == [("r-one",)] * 4
    assert messages(place) == [("r-one", HINT)] * 2


def test_where_no_run_ever_was_nobody_is_told(tmp_path: Path) -> None:
    place = installation({"REKNIT_STATE": str(tmp_path / "state")})
    assert pass_on(place, WebhookEvent("d1", "acme/shop", number=1)) == ()
