"""The stand-in's webhooks: signed, in order, and lost, repeated, late or out of order when a fault says so."""

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.tools.github import GitHub

APP = "dev/app"
SECRET = "s3cret"


@dataclass
class Received:
    url: str = ""
    events: list[tuple[str, str]] = field(default_factory=list)
    """(event, delivery id)"""
    payloads: list[dict[str, Any]] = field(default_factory=list)


@pytest.fixture
def received() -> Iterator[Received]:
    got = Received()

    class Receiver(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            signature = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
            if hmac.compare_digest(signature, self.headers["x-hub-signature-256"]):
                got.events.append((self.headers["x-github-event"], self.headers["x-github-delivery"]))
                got.payloads.append(json.loads(body))
            self.send_response(202)
            self.end_headers()

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        got.url = f"http://127.0.0.1:{server.server_port}/hook"
        yield got
        server.shutdown()
        thread.join()


@pytest.fixture
def hub(tmp_path: Path, received: Received) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as hub:
        hub.make_repository(APP, {"a.py": "x = 1\n"})
        hub.commit(APP, "feat", {"a.py": "x = 2\n"})
        hub.open_pull(APP, head="feat")
        hub.hooks.append((received.url, SECRET))
        yield hub


def test_each_event_names_what_it_is_about(hub: GitHub, received: Received) -> None:
    sha = hub.head(APP, "feat")
    hub.check(APP, sha, "ci")
    hub.check(APP, sha, "ci", "success")
    hub.status(APP, sha, "legacy", "success")
    hub.say(APP, 1, author="ann", text="hello")
    new = hub.commit(APP, "feat", {"a.py": "x = 3\n"})
    hub.close_pull(APP, 1)
    hub.wait_for_deliveries()
    seen = [
        (event, payload.get("action")) for (event, _), payload in zip(received.events, received.payloads, strict=True)
    ]
    assert seen == [
        ("check_run", "created"),
        ("check_run", "completed"),
        ("status", None),
        ("issue_comment", "created"),
        ("pull_request", "synchronize"),
        ("pull_request", "closed"),
    ]
    assert {payload["repository"]["full_name"] for payload in received.payloads} == {APP}
    assert (received.payloads[0]["check_run"]["head_sha"], received.payloads[2]["sha"]) == (sha, sha)
    assert received.payloads[3]["issue"]["number"] == 1
    assert received.payloads[4]["pull_request"]["head"]["sha"] == new
    assert len({number for _, number in received.events}) == 6


def test_a_merge_is_told_with_its_commit(hub: GitHub, received: Received) -> None:
    sha = hub.merge(APP, 1, "squash")
    hub.wait_for_deliveries()
    (payload,) = received.payloads
    pull = payload["pull_request"]
    assert (payload["action"], pull["merged"], pull["merge_commit_sha"]) == ("closed", True, sha)
    assert pull["merged_at"]
    assert payload["repository"]["html_url"] == f"{hub.url}/{APP}"


def contexts(received: Received) -> list[str]:
    return [payload["context"] for payload in received.payloads]


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        pytest.param("webhook_drop", ["b", "c"], id="the first is lost"),
        pytest.param("webhook_twice", ["a", "a", "b", "c"], id="the first comes twice"),
        pytest.param("webhook_late", ["b", "c", "a"], id="the first comes late"),
        pytest.param("webhook_reordered", ["b", "a", "c"], id="the first comes after the second"),
    ],
)
def test_deliveries_go_wrong(hub: GitHub, received: Received, fault: str, expected: list[str]) -> None:
    hub.faults.late_s = 1.0
    hub.faults.switch(fault)
    for context in ("a", "b", "c"):
        hub.status(APP, hub.head(APP, "feat"), context, "success")
    hub.wait_for_deliveries()
    assert contexts(received) == expected
    assert len({number for _, number in received.events}) == len(set(expected))


def test_a_held_delivery_comes_though_none_follows(hub: GitHub, received: Received) -> None:
    hub.faults.late_s = 0.01
    hub.faults.switch("webhook_reordered")
    hub.status(APP, hub.head(APP, "feat"), "a", "success")
    hub.wait_for_deliveries()
    assert contexts(received) == ["a"]


def test_nobody_at_home(hub: GitHub) -> None:
    hub.hooks[:] = [("http://127.0.0.1:1/", b"x")]
    hub.status(APP, hub.head(APP, "feat"), "a", "success")
    hub.wait_for_deliveries()
    assert [delivery.status for delivery in hub.deliveries] == [0]
