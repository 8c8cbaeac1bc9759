"""A delivery is verified once; what is signed wakes the run that it concerns."""

import hashlib
import hmac
import json
from dataclasses import replace
from pathlib import Path

from reknit.app.installation import installation
from reknit.app.webhook_receiver import WebhookReceiver
from reknit.core.agents.call import AgentSettings
from reknit.core.forge.webhook import WebhookEvent
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.store.database import open_store
from reknit.store.runs.ledger import SqlRunLedger
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
    return WebhookReceiver(installation({"REKNIT_STATE": str(folder / "state")}), secret, said.append), said


def test_only_what_is_signed_is_believed(tmp_path: Path) -> None:
    made, _ = receiver(tmp_path)
    assert receiver(tmp_path, "another")[0].verify(SIGNED, BODY) is None
    assert made.verify(SIGNED, BODY + b" ") is None
    assert made.verify({"X-GitHub-Delivery": "d1"}, BODY) is None
    assert made.verify(SIGNED, BODY) == WebhookEvent("d1", "acme/shop", SHA, 1)


def test_it_wakes_the_run_on_that_pull_request(tmp_path: Path) -> None:
    made, said = receiver(tmp_path)
    place = installation({"REKNIT_STATE": str(tmp_path / "state")})
    target = replace(TARGET, place=replace(TARGET.place, slug="acme/shop"), number=1)
    tests = TestCommand("pytest", ("pytest",), "junit")
    queue_in_engine(
        place, RunSpec("r-one", "fix pr", "/shop", SHA, tests, (), AgentSettings("claude", "claude"), pull=target)
    )
    database = open_store(place.database)
    SqlRunLedger(database).claim(target.key, "r-one")
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
