"""Attacks on the model gateway by whatever runs in a box: nothing gets out, nothing costs much, no key comes back."""

import base64
import contextlib
import http.client
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from reknit.core.gateway.access import TOO_MANY, ProviderName
from reknit.core.gateway.policy import MAX_BODY
from tests.core.gateway.wire.bodies import BODIES, changed, places, value_at
from tests.security.recording_vendor import PLAIN, Vendor, raw, recording_vendor, request, status_of
from tests.tools.gateway_client import KEY, WAIT_S, Client, client_of

pytestmark = [pytest.mark.security, pytest.mark.timeout(600)]

MARK = "a_field_nobody_listed"
TARGETS: dict[ProviderName, str] = {
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/m:generateContent",
    "openai": "/v1/responses",
    "openai_chat": "/v1/chat/completions",
}


@pytest.fixture
def vendor() -> Iterator[Vendor]:
    with recording_vendor() as made:
        yield made


def memory_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4 / 1024


UNITS: dict[str, tuple[bytes, bytes, bytes]] = {
    "messages of {}": (b'{"model":"m","max_tokens":10,"messages":[', b"{},", b"{}]}"),
    "tools of {}": (b'{"model":"m","max_tokens":10,"tools":[', b"{},", b"1]}"),
    "lists in lists": (b'{"model":', b"[", b"}"),
    "objects in objects": (b'{"model":', b'{"a":', b"}"),
    "short texts": (b'{"model":"m","stop_sequences":[', b'"",', b'""]}'),
    "numbers": (b'{"model":"m","stop_sequences":[', b"1,", b"1]}"),
    "one number": (b'{"model":', b"1", b"}"),
    "escapes": (b'{"model":"', b"\\n", b'"}'),
    "spaces": (b'{"model":', b" ", b"1}"),
    "wide characters": (b'{"model":"m","messages":7,"system":"', "\U0001f600".encode(), b'"}'),
}


def filled(name: str, size: int = MAX_BODY) -> bytes:
    first, unit, last = UNITS[name]
    return first + unit * ((size - len(first) - len(last)) // len(unit)) + last


def test_control_such_a_body_is_dear_to_parse() -> None:
    program = "import json, resource, sys; json.loads(sys.stdin.buffer.read()); print(resource.getrusage(0).ru_maxrss)"
    done = subprocess.run(
        [sys.executable, "-c", program], input=filled("messages of {}"), capture_output=True, check=True
    )
    assert int(done.stdout) >= 300 << 10  # KB


@pytest.mark.parametrize("name", UNITS)
def test_a_heavy_body_is_refused_at_little_cost(vendor: Vendor, name: str) -> None:
    with client_of(vendor.url) as client:
        data = request(client.gateway.token, filled(name))
        before, began, most = memory_mb(), time.process_time(), 0.0
        done = threading.Event()

        def watch() -> None:
            nonlocal most
            while not done.wait(0.01):
                most = max(most, memory_mb())

        watcher = threading.Thread(target=watch)
        watcher.start()
        answer = raw(client.port, data)
        done.set()
        watcher.join()
        print(f"\n{name}: {time.process_time() - began:.2f} s, +{most - before:.0f} MB, {status_of(answer)}")
        assert status_of(answer) in (400, 403)
        assert time.process_time() - began < 15, "it takes less than one"
        assert most - before < 250
    assert vendor.seen == []


def test_a_body_beyond_the_bound_is_not_read(vendor: Vendor) -> None:
    with client_of(vendor.url) as client:
        answer = raw(client.port, request(client.gateway.token, b"x" * (MAX_BODY + 1)))
        assert status_of(answer) in (413, 0)  # 0: cut while it was still sending
    assert vendor.seen == []


@pytest.mark.parametrize("kind", ["body", "path", "token", "length"])
def test_refused_requests_come_to_an_end(vendor: Vendor, kind: str) -> None:
    """After as many as the call may make, nothing is read any more: neither theirs nor a good one."""
    with client_of(vendor.url, max_requests=5) as client:
        token = client.gateway.token
        bad = {
            "body": request(token, b"{"),
            "path": request(token, target="/v1/files"),
            "token": request("guess"),
            "length": b"POST /v1/messages HTTP/1.1\r\nx-api-key: %s\r\ncontent-length: x\r\n\r\n" % token.encode(),
        }[kind]
        assert [status_of(raw(client.port, bad)) for _ in range(5)] == [403] * 5
        for data in (bad, request(token)):
            answer = raw(client.port, data)
            assert status_of(answer) == 403
            assert TOO_MANY.encode() in answer
        head = request(token, b"").replace(b"content-length: 0", b"content-length: 9999999")
        assert TOO_MANY.encode() in raw(client.port, head)  # it did not wait for the body
        assert client.gateway.close().requests == 0
    assert vendor.seen == []


def test_control_an_honest_request_gets_through(vendor: Vendor) -> None:
    with client_of(vendor.url, max_requests=5) as client:
        assert status_of(raw(client.port, request(client.gateway.token))) == 200
    ((line, headers, body),) = vendor.seen
    assert (line, headers["x-api-key"], json.loads(body)) == ("POST /v1/messages HTTP/1.1", KEY, PLAIN)


TARGETS_TRIED = [
    "http://127.0.0.1:1/v1/messages", "//evil/v1/messages", "/v1/../v1/messages", "/v1/messages/", "/v1//messages",
    "/v1/messages%2e", "/V1/messages", "/v1/messages/batches", "/v1/files", "/v1/messages;x", "/v1/messages#x",
    "/v1/organizations/api_keys", "/v1/responses", "/v1beta/models/x:generateContent", "/reknit/mcp/../v1/files", "*",
    "/v1/messages\x00",
]  # fmt: skip
HEAD = "POST /v1/messages HTTP/1.1\r\nHost: x\r\nx-api-key: {token}\r\n"
SENT = json.dumps(PLAIN)
FRAMES = {
    "two kinds of length": "content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nPOST /v1/files HTTP/1.1\r\n"
    "\r\n",
    "two codings": "transfer-encoding: identity\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    "a negative length": f"content-length: -1\r\n\r\n{SENT}",
    "a length in hex": f"content-length: 0x10\r\n\r\n{SENT}",
    "an endless header": f"x: {'a' * 70_000}\r\n\r\n",
    "three hundred headers": "".join(f"x{number}: 1\r\n" for number in range(300)) + "\r\n",
}


@pytest.mark.parametrize("target", TARGETS_TRIED)
def test_no_other_target_is_reached(vendor: Vendor, target: str) -> None:
    with client_of(vendor.url) as client:
        assert status_of(raw(client.port, request(client.gateway.token, target=target))) in (400, 403, 404)
    assert vendor.seen == []


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE", "post", "HEAD"])
def test_no_other_method_is_passed_on(vendor: Vendor, method: str) -> None:
    with client_of(vendor.url) as client:
        assert status_of(raw(client.port, request(client.gateway.token, method=method))) in (400, 403, 501)
    assert vendor.seen == []


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_no_request_hides_in_another(vendor: Vendor, frame: str) -> None:
    with client_of(vendor.url) as client:
        raw(client.port, (HEAD.format(token=client.gateway.token) + frame).encode())
    assert [line for line, _, _ in vendor.seen if "files" in line] == []
    assert [body for _, _, body in vendor.seen if body and json.loads(body) != PLAIN] == []


def test_only_the_named_headers_go_out(vendor: Vendor) -> None:
    extra = (
        "cookie: a=b\r\nx-forwarded-for: 1\r\nauthorization: Bearer z\r\nuser-agent: a\r\n x-evil: b\r\nx-evil2: c\r\n"
    )
    with client_of(vendor.url) as client:
        head = HEAD.format(token=client.gateway.token) + extra
        assert status_of(raw(client.port, f"{head}content-length: {len(SENT)}\r\n\r\n{SENT}".encode())) == 200
    ((_, headers, _),) = vendor.seen
    assert set(headers) <= {"host", "accept-encoding", "connection", "content-type", "content-length", "x-api-key"}


@pytest.mark.parametrize("provider", TARGETS)
def test_a_field_nobody_listed_reaches_the_vendor_from_no_level(vendor: Vendor, provider: ProviderName) -> None:
    body, target = BODIES[provider], TARGETS[provider]
    levels = [path for path in places(body) if isinstance(value_at(body.content, path), dict)]
    outside = [path for path in levels if not (path and path[-1] in body.own)]
    hostile = [changed(body.content, (*path, MARK), {"url": "https://evil.test"}) for path in outside]
    leaves = [path for path in places(body) if not isinstance(value_at(body.content, path), dict | list)]
    hostile += [changed(body.content, path, {MARK: 1}) for path in leaves]
    with client_of(vendor.url, provider=provider, max_requests=9_999, allow_search=True, budget_usd=1e6) as client:
        token = client.gateway.token
        assert {status_of(raw(client.port, request(token, each, target))) for each in hostile} == {403}
        assert vendor.seen == []
        dropped = {**body.content, body.dropped: {MARK: 1}, MARK: None}
        assert status_of(raw(client.port, request(token, dropped, target))) == 200
    assert [MARK for _, _, sent in vendor.seen if MARK.encode() in sent] == []
    assert len(vendor.seen) == 1


def test_control_without_the_gateway_the_field_arrives(vendor: Vendor) -> None:
    raw(int(vendor.url.rpartition(":")[2]), request("k", changed(BODIES["anthropic"].content, ("tools", 0, MARK), 1)))
    assert MARK.encode() in vendor.seen[0][2]


ECHOES = {
    "as it is": KEY,
    "escaped for JSON": "".join(f"\\u{ord(each):04x}" for each in KEY),
    "escaped for a URL": "".join(f"%{ord(each):02x}" for each in KEY),
    "quoted for a URL": quote(KEY, safe=""),
    "in base64": base64.b64encode(KEY.encode()).decode(),
    "in base64 with a name": base64.b64encode(f"key:{KEY}".encode()).decode(),
    "in hex": KEY.encode().hex(),
}


def echoed(client: Client) -> bytes:
    """What the box gets back, headers and all, with the chunks put together."""
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=WAIT_S)
    with contextlib.closing(connection):
        connection.request("POST", "/v1/messages", json.dumps(PLAIN), {"x-api-key": client.gateway.token})
        with contextlib.closing(connection.getresponse()) as answer:
            return f"{answer.status} {answer.getheaders()} ".encode() + answer.read()


@pytest.mark.parametrize("form", ECHOES.values(), ids=ECHOES)
@pytest.mark.parametrize("status", [200, 401])
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
@pytest.mark.parametrize("cut", [False, True])
def test_a_key_the_vendor_repeats_does_not_reach_the_box(
    vendor: Vendor, form: str, status: int, kind: str, cut: bool
) -> None:
    text = f'data: {{"type": "x", "said": "your key {form} is not {form}"}}\n\n'.encode()
    half = text.index(form.encode()) + len(form) // 2
    vendor.status, vendor.parts = status, (text[:half], text[half:]) if cut else (text,)
    vendor.head = {"content-type": kind, "request-id": form, "x-request-id": form, "retry-after": form, "x-key": form}
    with client_of(vendor.url) as client:
        answer = echoed(client)
    assert answer.startswith(str(status).encode())
    assert b"your key" in answer
    assert b"is not" in answer
    assert form[3:-3].encode() not in answer


@pytest.mark.parametrize("status", [200, 401])
def test_a_key_in_a_compressed_answer_does_not_reach_the_box(vendor: Vendor, status: int) -> None:
    vendor.status, vendor.parts = status, (b"\x1f\x8b" + KEY.encode(),)
    vendor.head = {"content-type": "application/json", "content-encoding": "gzip"}
    with client_of(vendor.url) as client:
        answer = echoed(client)
    assert KEY.encode() not in answer
    assert b"compressed" in answer


def test_control_the_vendor_really_repeats_it(vendor: Vendor) -> None:
    vendor.parts, vendor.head = (KEY.encode(),), {"request-id": KEY}
    assert raw(int(vendor.url.rpartition(":")[2]), request("k")).count(KEY.encode()) == 2
