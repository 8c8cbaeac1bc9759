"""The address a forge sends its webhooks to: what is taken, what is refused, and that a stranger cannot break it."""

import http.client
import queue
import socket
import struct
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from reknit.adapters.forges.github_events import read_delivery
from reknit.core.hint import Hint
from reknit.interfaces.web import webhooks
from reknit.interfaces.web.webhooks import LARGEST_BODY, PATH, server
from tests.tools.github import GitHub

SECRET = "s3cret"


@dataclass
class Listening:
    port: int = 0
    hints: list[Hint] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    followed: "queue.Queue[bytes]" = field(default_factory=queue.Queue)
    may_end: threading.Event = field(default_factory=threading.Event)
    """What follows an answer goes on until then."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{PATH}"

    def take(self, headers: Mapping[str, str], body: bytes) -> tuple[str, ...] | None:
        hint = read_delivery(headers, body, SECRET)
        if hint is None:
            return None
        self.hints.append(hint)
        return (f"r-{hint.number}",) if hint.number else ()

    def follow(self, _headers: Mapping[str, str], body: bytes) -> None:
        self.may_end.wait(10)
        self.followed.put(body)

    def ask(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, body, dict(headers or {}))
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def raw(self, *lines: str) -> str:
        """The status line that answers these lines."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as wire:
            wire.sendall("".join(f"{line}\r\n" for line in (*lines, "")).encode("latin-1"))
            return wire.makefile("rb").readline().decode()


@pytest.fixture
def listening() -> Iterator[Listening]:
    made = Listening()
    serving = server("127.0.0.1", 0, made.take, made.said.append, made.follow)
    made.port = serving.server_port
    thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.may_end.set()
    serving.shutdown()
    thread.join()
    serving.server_close()


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as made:
        made.make_repository("acme/shop", {"a.py": "x = 1\n"})
        yield made


def test_a_real_delivery_is_taken_and_told(hub: GitHub, listening: Listening) -> None:
    sha = hub.commit("acme/shop", "feature", {"a.py": "x = 2\n"})
    number = hub.open_pull("acme/shop", head="feature")
    hub.hooks.append((listening.url, SECRET))
    hub.check("acme/shop", sha, "lint", "success")
    hub.status("acme/shop", sha, "legacy", "success")
    hub.wait_for_deliveries()
    assert [delivery.status for delivery in hub.deliveries] == [202, 202]
    assert [(hint.slug, hint.sha, hint.number) for hint in listening.hints] == [
        ("acme/shop", sha, number),
        ("acme/shop", sha, 0),
    ]
    assert listening.said == [f"check_run for r-{number}"]


def test_the_forge_does_not_wait_for_what_follows(hub: GitHub, listening: Listening) -> None:
    hub.hooks.append((listening.url, SECRET))
    hub.status("acme/shop", hub.head("acme/shop", "main"), "legacy", "success")
    hub.wait_for_deliveries()
    assert ([delivery.status for delivery in hub.deliveries], listening.followed.qsize()) == ([202], 0)
    listening.may_end.set()
    assert b'"context": "legacy"' in listening.followed.get(timeout=10)


def test_nothing_follows_what_was_refused(hub: GitHub, listening: Listening) -> None:
    listening.may_end.set()
    hub.hooks.append((listening.url, "another"))
    hub.status("acme/shop", hub.head("acme/shop", "main"), "legacy", "success")
    hub.wait_for_deliveries()
    assert ([delivery.status for delivery in hub.deliveries], listening.followed.qsize()) == ([401], 0)


def test_a_delivery_with_another_secret_is_not(hub: GitHub, listening: Listening) -> None:
    hub.hooks.append((listening.url, "another"))
    hub.check("acme/shop", hub.head("acme/shop", "main"), "lint", "success")
    hub.wait_for_deliveries()
    assert ([delivery.status for delivery in hub.deliveries], listening.hints, listening.said) == ([401], [], [])


def test_without_a_signature_nothing_is_believed(listening: Listening) -> None:
    assert listening.ask("POST", PATH, b"{}", {"X-GitHub-Delivery": "d1"}) == (
        401,
        "not signed with the secret of this server\n",
    )


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        pytest.param("GET", "/healthz", 200, id="somebody asks how it is"),
        pytest.param("GET", PATH, 404, id="nobody reads webhooks"),
        pytest.param("GET", "/", 404, id="there is no page"),
        pytest.param("POST", "/", 404, id="a wrong path"),
        pytest.param("POST", f"{PATH}/x", 404, id="a longer path"),
        pytest.param("POST", f"{PATH}?x", 404, id="a path with a question"),
        pytest.param("PUT", PATH, 501, id="another method"),
    ],
)
def test_what_is_not_here(listening: Listening, method: str, path: str, status: int) -> None:
    assert listening.ask(method, path)[0] == status
    assert listening.hints == []


@pytest.mark.parametrize(
    ("length", "status"),
    [
        pytest.param(f"Content-Length: {LARGEST_BODY + 1}", 413, id="too large"),
        pytest.param(f"Content-Length: {'9' * 5000}", 413, id="a number without end"),
        pytest.param("Content-Length: -1", 411, id="below nothing"),
        pytest.param("Content-Length: ²", 411, id="a digit that is none"),
        pytest.param("Content-Length: x", 411, id="no number"),
        pytest.param("Transfer-Encoding: chunked", 411, id="no length at all"),
    ],
)
def test_a_body_that_is_not_read(
    listening: Listening, capfd: pytest.CaptureFixture[str], length: str, status: int
) -> None:
    """Refused before a byte of it was read, and without a word on the terminal."""
    assert f" {status} " in listening.raw(f"POST {PATH} HTTP/1.1", "Host: x", length)
    assert listening.ask("GET", "/healthz")[0] == 200
    assert capfd.readouterr().err == ""


def test_one_who_says_less_than_announced_is_not_waited_for_for_ever(
    listening: Listening, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    short = server("127.0.0.1", 0, listening.take, listening.said.append)
    monkeypatch.setattr(short.RequestHandlerClass, "timeout", 0.2)
    thread = threading.Thread(target=short.handle_request)
    thread.start()
    with socket.create_connection(("127.0.0.1", short.server_port), timeout=10) as wire:
        wire.sendall(f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n123".encode())
        assert wire.recv(100) == b""
    thread.join()
    short.server_close()
    assert listening.hints == []
    assert capfd.readouterr().err == ""
    assert webhooks.SLOWEST_S <= 15


def test_what_follows_a_refused_body_is_not_taken_for_a_request(listening: Listening) -> None:
    with socket.create_connection(("127.0.0.1", listening.port), timeout=10) as wire:
        smuggled = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        wire.sendall(f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {len(smuggled)}\r\n\r\n{smuggled}".encode())
        answers = wire.makefile("rb").read().decode()
    assert answers.count("HTTP/1.1 ") == 1
    assert "connection: close" in answers


def test_one_who_hangs_up_is_not_worth_a_line(listening: Listening, capfd: pytest.CaptureFixture[str]) -> None:
    before = set(threading.enumerate())
    wire = socket.create_connection(("127.0.0.1", listening.port), timeout=10)
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closed with a reset
    wire.sendall(f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n123".encode())
    assert listening.ask("GET", "/healthz")[0] == 200  # so that the first is being listened to
    wire.close()
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=10)
    assert (listening.hints, capfd.readouterr().err) == ([], "")


def test_what_fails_on_our_side_is(capfd: pytest.CaptureFixture[str]) -> None:
    def take(_headers: Mapping[str, str], _body: bytes) -> tuple[str, ...] | None:
        raise RuntimeError("the database is gone")

    serving = server("127.0.0.1", 0, take, print)
    before = set(threading.enumerate())
    connection = http.client.HTTPConnection("127.0.0.1", serving.server_port, timeout=10)
    connection.request("POST", PATH, b"{}")
    serving.handle_request()
    with pytest.raises(http.client.RemoteDisconnected):
        connection.getresponse()
    connection.close()
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=10)
    serving.server_close()
    assert "RuntimeError: the database is gone" in capfd.readouterr().err
