"""A delivery is verified once; what is signed wakes the run that it concerns."""

import hashlib
import hmac
import json
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from reknit.app.installation import Installation, find_installation
from reknit.app.webhook_receiver import WebhookReceiver, wake_runs
from reknit.core.agents.call import AgentSettings
from reknit.core.forge.permission import PullSnapshot
from reknit.core.forge.values import WebhookEvent
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.store.database import is_sqlite, open_engine, open_store
from reknit.store.runs.ledger import SqlRunLedger
from reknit.workflows.runtime.codec import CODEC, HINT
from tests.tools.pull_samples import TARGET
from tests.tools.queued_runs import queue_in_engine

SHA = "a" * 40
BODY = json.dumps(
    {"repository": {"full_name": "acme/shop"}, "check_run": {"head_sha": SHA, "pull_requests": [{"number": 1}]}}
).encode()
SIGNED = {
    "X-GitHub-Delivery": "d1",
    "X-Hub-Signature-256": "sha256=" + hmac.new(b"s3cret", BODY, hashlib.sha256).hexdigest(),
}


def receiver(folder: Path, secret: str = "s3cret") -> tuple[WebhookReceiver, list[str]]:
    said: list[str] = []
    return WebhookReceiver(find_installation({"REKNIT_STATE": str(folder / "state")}), secret, said.append), said


def test_only_what_is_signed_is_believed(tmp_path: Path) -> None:
    made, _ = receiver(tmp_path)
    assert receiver(tmp_path, "another")[0].verify(SIGNED, BODY) is None
    assert made.verify(SIGNED, BODY + b" ") is None
    assert made.verify({"X-GitHub-Delivery": "d1"}, BODY) is None
    assert made.verify(SIGNED, BODY) == WebhookEvent("d1", "acme/shop", SHA, 1)


def test_it_wakes_the_run_on_that_pull_request(tmp_path: Path) -> None:
    made, said = receiver(tmp_path)
    installation = find_installation({"REKNIT_STATE": str(tmp_path / "state")})
    target = replace(TARGET, place=replace(TARGET.place, slug="acme/shop"), number=1)
    tests = TestCommand("pytest", ("pytest",), "junit")
    queue_in_engine(installation, RunSpec("r-one", "/shop", SHA, target, tests, (AgentSettings("claude", "claude"),)))
    database = open_store(installation.database)
    SqlRunLedger(database).claim(target.claim, "r-one")
    database.dispose()
    event = made.verify(SIGNED, BODY)
    assert event is not None
    assert made.wake(event) == ("r-one",)
    made.follow(event)
    assert said == [], "it says nothing about a merge"


def test_an_event_about_no_repository_wakes_nobody_and_opens_no_database(tmp_path: Path) -> None:
    made, _ = receiver(tmp_path)
    assert made.wake(WebhookEvent("d1", slug="")) == ()
    assert not (tmp_path / "state").exists()


A, B = "a" * 40, "b" * 40


def open_run(
    installation: Installation, run_id: str, slug: str, number: int, head: str = "", *, ended: bool = False
) -> None:
    """One that waits for a worker, has its pull request, and has looked at that head."""
    target = replace(TARGET, place=replace(TARGET.place, slug=slug), number=number)
    tests = TestCommand("pytest", ("pytest",), "junit")
    spec = RunSpec(run_id, "/shop", A, target, tests, (AgentSettings("claude", "claude"),))
    queue_in_engine(installation, spec)
    database = open_store(installation.database)
    ledger = SqlRunLedger(database)
    ledger.claim(target.claim, run_id)
    if head:
        ledger.put_document(run_id, "sight", CODEC.serialize(PullSnapshot(head, B, 1)))
    if ended:
        ledger.end(run_id, Ending("CLEAN", "all pass"))
    database.dispose()


def messages(installation: Installation) -> list[tuple[str, str]]:
    """(run, topic) of all that was sent, oldest first."""
    database = open_engine(installation.database)
    schema = "" if is_sqlite(installation.database) else "dbos."
    query = f"SELECT destination_uuid, topic FROM {schema}notifications ORDER BY created_at_epoch_ms"
    with database.connect() as db:
        found = [(str(run_id), str(topic)) for run_id, topic in db.execute(sa.text(query))]
    database.dispose()
    return found


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    """With runs on several pull requests."""
    made = find_installation({"REKNIT_STATE": str(tmp_path / "state")})
    open_run(made, "r-one", "acme/shop", 1, A)
    open_run(made, "r-two", "acme/shop", 2, B)
    open_run(made, "r-new", "acme/shop", 3)
    open_run(made, "r-done", "acme/shop", 4, A, ended=True)
    open_run(made, "r-other", "acme/other", 1, A)
    return made


def test_the_right_runs_are_told(installation: Installation) -> None:
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
    told = {case: set(wake_runs(installation, event)) for case, (event, _) in cases.items()}
    assert told == {case: expected for case, (_, expected) in cases.items()}
    sent = sorted(run_id for _, runs in cases.values() for run_id in runs)
    assert sorted(messages(installation)) == [(run_id, HINT) for run_id in sent]


def test_a_delivery_that_comes_twice_is_passed_on_once(database_url: str, tmp_path: Path) -> None:
    installation = find_installation({"REKNIT_STATE": str(tmp_path / "state"), "REKNIT_DATABASE": database_url})
    open_run(installation, "r-one", "acme/shop", 1, A)
    again = [wake_runs(installation, WebhookEvent(delivery, "acme/shop", A)) for delivery in ("d1", "d1", "d2", "d1")]
    assert again == [("r-one",)] * 4
    assert messages(installation) == [("r-one", HINT)] * 2


def test_where_no_run_ever_was_nobody_is_told(tmp_path: Path) -> None:
    installation = find_installation({"REKNIT_STATE": str(tmp_path / "state")})
    assert wake_runs(installation, WebhookEvent("d1", "acme/shop", number=1)) == ()
