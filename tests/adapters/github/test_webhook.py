"""Webhook deliveries: signed or nothing."""

import hashlib
import hmac
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import urlencode

import pytest

from reknit.adapters.github.webhook import read_delivery
from reknit.core.forge.values import WebhookEvent
from tests.adapters.github.conftest import SLUG, Opened
from tests.tools.github import GitHub

SECRET = "s3cret"
REPOSITORY = {"full_name": "dev/app"}


def signed(body: bytes, secret: str = SECRET, **more: str) -> dict[str, str]:
    signature = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {"X-GitHub-Delivery": "d-1", "X-Hub-Signature-256": signature, **more}


def read(event: Any) -> WebhookEvent | None:
    body = json.dumps(event).encode()
    return read_delivery(signed(body), body, SECRET)


@pytest.mark.parametrize(
    ("event", "sha", "number"),
    [
        pytest.param({"pull_request": {"number": 7, "head": {"sha": "a1"}}}, "a1", 7, id="pull-request"),
        pytest.param({"check_run": {"head_sha": "a1", "pull_requests": [{"number": 7}]}}, "a1", 7, id="check-run"),
        pytest.param({"check_run": {"head_sha": "a1", "pull_requests": []}}, "a1", 0, id="check-run-of-a-fork"),
        pytest.param({"check_suite": {"head_sha": "a1"}}, "a1", 0, id="check-suite"),
        pytest.param({"workflow_run": {"head_sha": "a1", "pull_requests": [{"number": 3}]}}, "a1", 3, id="workflow"),
        pytest.param({"workflow_job": {"head_sha": "a1"}}, "a1", 0, id="job"),
        pytest.param({"sha": "a1", "context": "ci"}, "a1", 0, id="commit-status"),
        pytest.param({"after": "a1", "ref": "refs/heads/x"}, "a1", 0, id="push"),
        pytest.param({"issue": {"number": 7, "pull_request": {}}}, "", 7, id="comment-on-a-pull-request"),
        pytest.param({"issue": {"number": 7}}, "", 0, id="comment-on-an-issue"),
        pytest.param({"zen": "x"}, "", 0, id="ping"),
        pytest.param({"pull_request": "odd", "check_run": {"pull_requests": ["odd"]}}, "", 0, id="odd-shapes"),
    ],
)
def test_a_signed_delivery_is_a_hint(event: dict[str, Any], sha: str, number: int) -> None:
    assert read({"repository": REPOSITORY, **event}) == WebhookEvent("d-1", "dev/app", sha, number)


FORK = {"head": {"repo": {"full_name": "eve/app"}}}


@pytest.mark.parametrize(
    ("action", "pull", "merged_from"),
    [
        pytest.param("closed", {"merged": True, **FORK}, "eve/app", id="merged"),
        pytest.param(
            "closed", {"merged": True, "head": {"repo": None}}, "dev/app", id="merged-from-a-fork-that-is-gone"
        ),
        pytest.param("closed", {"merged": False, **FORK}, "", id="closed"),
        pytest.param("closed", {"merged": "yes", **FORK}, "", id="an-odd-word"),
        pytest.param("labeled", {"merged": True, **FORK}, "", id="something-else-after-it-was-merged"),
    ],
)
def test_a_merge_is_told(action: str, pull: dict[str, Any], merged_from: str) -> None:
    repository = {**REPOSITORY, "html_url": "https://github.com/dev/app"}

    found = read({"repository": repository, "action": action, "pull_request": {"number": 7, **pull}})

    assert found == WebhookEvent("d-1", "dev/app", "", 7, "https://github.com/dev/app", merged_from)


def test_an_address_that_is_none_is_not_told() -> None:
    assert read({"repository": {**REPOSITORY, "html_url": 7}}) == WebhookEvent("d-1", "dev/app")


def test_a_form_is_read_too_and_names_of_headers_have_any_case() -> None:
    body = urlencode({"payload": json.dumps({"repository": REPOSITORY, "sha": "a1"})}).encode()
    headers = {name.upper(): value for name, value in signed(body).items()}

    assert read_delivery(headers, body, SECRET) == WebhookEvent("d-1", "dev/app", "a1")


BODY = json.dumps({"repository": REPOSITORY}).encode()


@pytest.mark.parametrize(
    ("headers", "body", "secret"),
    [
        pytest.param({"X-GitHub-Delivery": "d-1"}, BODY, SECRET, id="unsigned"),
        pytest.param(signed(BODY, "other"), BODY, SECRET, id="another-secret"),
        pytest.param(signed(BODY), BODY + b" ", SECRET, id="changed-on-its-way"),
        pytest.param(signed(BODY, ""), BODY, "", id="no-secret-is-no-signature"),
        pytest.param({**signed(BODY), "X-Hub-Signature-256": "sha256=é"}, BODY, SECRET, id="not-ascii"),
        pytest.param({**signed(BODY), "X-GitHub-Delivery": ""}, BODY, SECRET, id="no-id"),
    ],
)
def test_what_is_not_signed_is_nothing(headers: dict[str, str], body: bytes, secret: str) -> None:
    assert read_delivery(headers, body, secret) is None


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b'{"zen": "x", "hook_id": 1, "hook": {"type": "App"}}', id="the-ping-of-an-app"),
        pytest.param(
            b'{"action": "created", "installation": {}, "repositories": [{"full_name": "a/b"}]}', id="installed"
        ),
        pytest.param(b'{"repository": {"full_name": 1}}', id="a-name-that-is-none"),
        pytest.param(b"{", id="not-json"),
        pytest.param(b"\xff", id="not-text"),
        pytest.param(b"payload=", id="an-empty-form"),
        pytest.param(b"[]", id="a-list"),
        pytest.param(b"[" * 99_999, id="too-deep"),
        pytest.param(b"{}", id="of-no-repository"),
    ],
)
def test_what_is_signed_and_of_no_repository_is_a_hint_about_none(body: bytes) -> None:
    assert read_delivery(signed(body), body, SECRET) == WebhookEvent("d-1", slug="")


def test_what_github_really_sends(hub: GitHub, pull: Opened) -> None:
    hints: list[WebhookEvent | None] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            hints.append(read_delivery(dict(self.headers), body, SECRET))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    with HTTPServer(("127.0.0.1", 0), Receiver) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        hub.hooks.append((f"http://127.0.0.1:{server.server_port}/", SECRET))
        hub.check(SLUG, pull.sha, "ci", "failure")
        hub.status(SLUG, pull.sha, "old", "success")
        hub.say(SLUG, pull.number, author="ann", text="well?")
        hub.merge(SLUG, pull.number)
        hub.hooks[:] = [(f"http://127.0.0.1:{server.server_port}/", "another secret")]
        hub.status(SLUG, pull.sha, "old", "failure")
        hub.wait_for_deliveries()
        server.shutdown()
        thread.join()

    read = [event and (event.slug, event.sha, event.number) for event in hints]
    named = (SLUG, pull.sha, pull.number)
    assert read == [named, (SLUG, pull.sha, 0), (SLUG, "", pull.number), named, None]
    assert [event.merged_from for event in hints if event] == ["", "", "", SLUG]
    assert {event.home for event in hints if event} == {f"{hub.url}/{SLUG}"}
    assert len({event.delivery for event in hints if event}) == 4
