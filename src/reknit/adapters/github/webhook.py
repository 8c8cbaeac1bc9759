"""Reads a GitHub webhook delivery. It is only a reason to poll; its content is not trusted."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from urllib.parse import parse_qs

from reknit.core.forge.values import WebhookEvent
from reknit.core.repository.manifest_text import get_table

Json = Mapping[str, object]
_WITH_SHA = ("check_run", "check_suite", "workflow_run", "workflow_job")


def read_delivery(headers: Mapping[str, str], body: bytes, secret: str) -> WebhookEvent | None:
    """Return the event of a delivery; None if it is not signed with this secret."""
    lower_headers = {name.lower(): value for name, value in headers.items()}
    delivery = lower_headers.get("x-github-delivery", "")
    if not delivery or not _is_signed(lower_headers.get("x-hub-signature-256", ""), body, secret):
        return None
    event = _parse_event(body)
    slug, home = (get_table(event, "repository").get(name) for name in ("full_name", "html_url"))
    if not isinstance(slug, str):
        return WebhookEvent(delivery, slug="")
    home = home if isinstance(home, str) else ""
    return WebhookEvent(
        delivery, slug, _find_sha(event), _find_number(event), home, _find_merged_repository(event, slug)
    )


def _is_signed(signature: str, body: bytes, secret: str) -> bool:
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return bool(secret) and hmac.compare_digest(signature.encode(), expected.encode())


def _parse_event(body: bytes) -> Json:
    try:
        # a manually created hook sends a form unless it is set to send JSON
        text = parse_qs(body.decode())["payload"][0] if body.startswith(b"payload=") else body.decode()
        read = json.loads(text)
    except (ValueError, KeyError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _find_sha(event: Json) -> str:
    head = get_table(event, "pull_request", "head").get("sha")
    of_run = (get_table(event, name).get("head_sha") for name in _WITH_SHA)
    # a commit status has it at the top level, a push as `after`
    for sha in (head, *of_run, event.get("sha"), event.get("after")):
        if isinstance(sha, str):
            return sha
    return ""


def _find_number(event: Json) -> int:
    pulls = [get_table(event, name).get("pull_requests") for name in _WITH_SHA]
    firsts = [entries[0] for entries in pulls if isinstance(entries, list) and entries]
    issue = get_table(event, "issue")
    for entries in (get_table(event, "pull_request"), issue if "pull_request" in issue else {}, *firsts):
        if isinstance(entries, dict) and isinstance(entries.get("number"), int):
            return int(entries["number"])
    return 0


def _find_merged_repository(event: Json, slug: str) -> str:
    pull = get_table(event, "pull_request")
    if event.get("action") != "closed" or pull.get("merged") is not True:
        return ""
    fork = get_table(pull, "head", "repo").get("full_name")
    return fork if isinstance(fork, str) else slug  # a deleted fork no longer has a name
