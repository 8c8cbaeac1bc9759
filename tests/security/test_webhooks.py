"""Forged and hostile webhook deliveries to a real `reknit serve`: nothing that is not signed is believed."""

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.security.webhook_process import BODY, PATH, SECRET, Served, running, sign
from tests.tools.command_line import CommandLine

pytestmark = [pytest.mark.security, pytest.mark.timeout(600)]

DELIVERY = {"X-GitHub-Event": "pull_request", "X-GitHub-Delivery": "d-1"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("serve")
    command = CommandLine(folder, {"REKNIT_WEBHOOK_SECRET": SECRET})
    with running(command.start("serve", "--port", "0", cwd=folder)) as found:
        yield found


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({}, id="no signature"),
        pytest.param({"X-Hub-Signature-256": ""}, id="an empty signature"),
        pytest.param({"X-Hub-Signature-256": sign(BODY, "another")}, id="another secret"),
        pytest.param({"X-Hub-Signature-256": sign(BODY + b" ")}, id="of another body"),
        pytest.param({"X-Hub-Signature-256": sign(BODY).upper()}, id="in capitals"),
        pytest.param({"X-Hub-Signature-256": f"{sign(BODY)}, {sign(BODY, 'x')}"}, id="two of them"),
        pytest.param({"X-Hub-Signature": sign(BODY, kind="sha1")}, id="the old kind"),
        pytest.param({"X-Hub-Signature-256": sign(BODY, kind="sha1")}, id="the old kind in the new header"),
        pytest.param({"X-Hub-Signature-256": "sha256=\xff\xfe"}, id="not ASCII"),
        pytest.param({"X-Hub-Signature-256": sign(BODY, "")}, id="without a secret"),
    ],
)
def test_a_forged_signature_is_not_believed(served: Served, headers: dict[str, str]) -> None:
    assert served.post(BODY, {**DELIVERY, **headers}) == 401


def test_control_the_same_delivery_is_taken_when_it_is_signed(served: Served) -> None:
    assert served.post(BODY, {**DELIVERY, "X-Hub-Signature-256": sign(BODY)}) == 202


def pull(**repository: object) -> dict[str, object]:
    return {"repository": repository, "action": "closed", "pull_request": {"number": 1, "merged": True, "head": {}}}


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(b"xx", id="not JSON"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b"[" * 200_000, id="nested without end"),
        pytest.param({"repository": {"full_name": 1}}, id="a number for a name"),
        pytest.param(pull(full_name="a'; DROP TABLE runs;--/b"), id="SQL"),
        pytest.param(pull(full_name="\x1b]0;x\x07/b", html_url="file:///etc/passwd"), id="escapes and a file"),
        pytest.param(pull(full_name="a/b", html_url="http://169.254.169.254/a/b"), id="an address inside the network"),
        pytest.param(pull(full_name="../../x"), id="a way up"),
        pytest.param(b'{"repository":{"full_name":"\\ud800/b"},"sha":"x"}', id="half a character"),
        pytest.param({"repository": {"full_name": "a/b"}, "pull_request": {"number": 10**30}}, id="a huge number"),
        pytest.param(b"payload=" + BODY, id="a form"),
        pytest.param({"zen": "x", "hook": {"type": "App"}}, id="the ping of an App"),
        pytest.param({"action": "created", "installation": {"id": 1}, "repositories": []}, id="an installation"),
    ],
)
def test_a_hostile_payload_wakes_nothing_and_breaks_nothing(served: Served, payload: object) -> None:
    """Even signed: whoever writes a title or a branch decides what is in it."""
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    assert served.post(body, {**DELIVERY, "X-Hub-Signature-256": sign(body)}) == 202
    said = "".join(served.said_so_far)
    assert "Traceback" not in said
    assert "\x1b" not in said
    assert " for r-" not in said


NO_DELIVERIES = {
    "chunked": f"POST {PATH} HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
    "a way up": "GET /../etc/passwd HTTP/1.1\r\n\r\n",
    "reading": f"GET {PATH} HTTP/1.1\r\n\r\n",
    "another protocol": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "TLS": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "terminal escapes": "\x1b[31m\x1b]0;owned\x07 / HTTP/1.1\r\n\r\n",
    "an endless header": f"POST / HTTP/1.1\r\nx: {'a' * 70_000}\r\n\r\n",
    "endless headers": "POST / HTTP/1.1\r\n" + "x: 1\r\n" * 5_000 + "\r\n",
}


def test_what_is_no_delivery_is_refused_and_logged_in_our_own_words(tmp_path: Path) -> None:
    command = CommandLine(tmp_path, {"REKNIT_WEBHOOK_SECRET": SECRET})
    with running(command.start("serve", "--port", "0", cwd=tmp_path)) as served:
        for name, text in NO_DELIVERIES.items():
            with socket.create_connection(("127.0.0.1", served.port), timeout=20) as wire:
                wire.sendall(text.encode("latin-1"))
                assert re.match(rb"HTTP/1\.1 (4\d\d|50[15]) ", wire.recv(1000)), name
    line = re.compile(r"refused a request from 127\.0\.0\.1: \d{3}, [a-z -]{2,60}\n")
    assert [said for said in served.all_said() if not line.fullmatch(said)] == []
    assert len(served.all_said()) == len(NO_DELIVERIES)


def test_refusals_do_not_flood_the_log(served: Served) -> None:
    for _ in range(50):
        served.post(b"x", {})
    assert len(served.said_so_far) <= 10
