"""Reads a GitHub webhook delivery: a signed reason to poll, never trusted for what it says."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from urllib.parse import parse_qs

from reknit.core.forge.webhook import WebhookEvent

Json = Mapping[str, object]
_WITH_SHA = ("check_run", "check_suite", "workflow_run", "workflow_job")


def read_delivery(headers: Mapping[str, str], body: bytes, secret: str) -> WebhookEvent | None:
    """None: not signed with this secret."""
    given = {name.lower(): value for name, value in headers.items()}
    delivery = given.get("x-github-delivery", "")
    if not delivery or not _is_signed(given.get("x-hub-signature-256", ""), body, secret):
        return None
    event = _event(body)
    slug, home = (_part(event, "repository").get(name) for name in ("full_name", "html_url"))
    if not isinstance(slug, str):
        return WebhookEvent(delivery, slug="")
    home = home if isinstance(home, str) else ""
    return WebhookEvent(delivery, slug, _sha(event), _number(event), home, _merged_from(event, slug))


def _is_signed(signature: str, body: bytes, secret: str) -> bool:
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return bool(secret) and hmac.compare_digest(signature.encode(), expected.encode())


def _event(body: bytes) -> Json:
    try:
        # a manually created hook sends a form unless it is set to send JSON
        text = parse_qs(body.decode())["payload"][0] if body.startswith(b"payload=") else body.decode()
        read = json.loads(text)
    except (ValueError, KeyError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _sha(event: Json) -> str:
    head = _part(_part(event, "pull_request"), "head").get("sha")
    of_run = (_part(event, name).get("head_sha") for name in _WITH_SHA)
    # a commit status has it at the top level, a push as `after`
    for found in (head, *of_run, event.get("sha"), event.get("after")):
        if isinstance(found, str):
            return found
    return ""


def _number(event: Json) -> int:
    pulls = [_part(event, name).get("pull_requests") for name in _WITH_SHA]
    firsts = [found[0] for found in pulls if isinstance(found, list) and found]
    issue = _part(event, "issue")
    for found in (_part(event, "pull_request"), issue if "pull_request" in issue else {}, *firsts):
        if isinstance(found, dict) and isinstance(found.get("number"), int):
            return int(found["number"])
    return 0


def _merged_from(event: Json, slug: str) -> str:
    pull = _part(event, "pull_request")
    if event.get("action") != "closed" or pull.get("merged") is not True:
        return ""
    fork = _part(_part(pull, "head"), "repo").get("full_name")
    return fork if isinstance(fork, str) else slug  # a deleted fork no longer has a name


def _part(of: Json, name: str) -> Json:
    found = of.get(name)
    return found if isinstance(found, dict) else {}
