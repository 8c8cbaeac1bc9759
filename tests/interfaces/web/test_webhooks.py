"""The webhook endpoint: what is taken, what is refused, and that a stranger cannot break it."""

import http.client
import json
import socket
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from reknit.core.errors import DatabaseError
from reknit.core.forge.values import WebhookEvent
from reknit.interfaces.web.server import create_server
from reknit.interfaces.web.webhooks import PATH, make_webhook_routes
from tests.interfaces.web.listening import (
    BOUNDS,
    LOOKS_SIGNED,
    SECRET,
    SIGNED_LINES,
    Listening,
    in_thread,
    served,
    signed,
)
from tests.tools.github import GitHub


@pytest.fixture
def listening() -> Iterator[Listening]:
    made = Listening()
    with served(made):
        yield made


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
    assert [(event.slug, event.sha, event.number) for event in listening.events] == [
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
    assert listening.followed.get(timeout=10) == listening.events[0]


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
    assert ([delivery.status for delivery in hub.deliveries], listening.events) == ([401], [])
    assert listening.said == ["refused a request from 127.0.0.1: 401, not signed with the secret of this server"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({"X-GitHub-Delivery": "d1"}, 401, id="no signature"),
        pytest.param({**LOOKS_SIGNED, "X-Hub-Signature-256": "sha256=0"}, 401, id="a short signature"),
        pytest.param({**LOOKS_SIGNED, "X-Hub-Signature-256": f"sha1={'0' * 40}"}, 401, id="an old signature"),
        pytest.param({**LOOKS_SIGNED, "X-GitHub-Delivery": ""}, 400, id="no id"),
        pytest.param({**LOOKS_SIGNED, "X-GitHub-Delivery": "x" * 101}, 400, id="a long id"),
    ],
)
def test_what_cannot_be_verified_is_refused_before_its_body_is_read(
    listening: Listening, headers: dict[str, str], status: int
) -> None:
    lines = [f"{name}: {value}" for name, value in headers.items()]
    assert f" {status} " in listening.raw(f"POST {PATH} HTTP/1.1", "Host: x", "Content-Length: 9", *lines)
    assert listening.events == []


@pytest.mark.parametrize("event", ["ping", "installation", "installation_repositories", "github_app_authorization"])
def test_what_an_app_sends_about_itself_is_taken(listening: Listening, event: str) -> None:
    body = json.dumps(
        {"action": "created", "installation": {"id": 1}, "zen": "x", "repositories": [{"id": 2}]}
    ).encode()
    assert listening.ask("POST", PATH, body, signed(body, **{"X-GitHub-Event": event}))[0] == 202
    assert listening.said == []


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        pytest.param("GET", "/healthz", 200, id="somebody asks how it is"),
        pytest.param("GET", PATH, 405, id="nobody reads webhooks"),
        pytest.param("GET", "/", 404, id="there is no page"),
        pytest.param("POST", "/", 404, id="a wrong path"),
        pytest.param("POST", f"{PATH}/x", 404, id="a longer path"),
        pytest.param("POST", f"{PATH}?x", 404, id="a path with a question"),
        pytest.param("PUT", PATH, 405, id="another method"),
    ],
)
def test_what_is_not_here(listening: Listening, method: str, path: str, status: int) -> None:
    assert listening.ask(method, path)[0] == status
    assert listening.events == []


@pytest.mark.parametrize(
    ("length", "status"),
    [
        pytest.param(f"Content-Length: {BOUNDS.body + 1}", 413, id="too large"),
        pytest.param(f"Content-Length: {'9' * 5000}", 400, id="a number without end"),
        pytest.param("Content-Length: -1", 400, id="below nothing"),
        pytest.param("Content-Length: ²", 400, id="a digit that is none"),
        pytest.param("Content-Length: x", 400, id="no number"),
        pytest.param("Transfer-Encoding: chunked", 411, id="no length at all"),
        pytest.param("Content-Length: 1\r\nTransfer-Encoding: chunked", 411, id="two lengths"),
    ],
)
def test_a_body_that_is_not_read(
    listening: Listening, capfd: pytest.CaptureFixture[str], length: str, status: int
) -> None:
    """Refused before a byte of it was read, and without a traceback."""
    assert f" {status} " in listening.raw(f"POST {PATH} HTTP/1.1", "Host: x", *SIGNED_LINES, length)
    assert listening.ask("GET", "/healthz")[0] == 200
    assert capfd.readouterr().err == ""


def test_headers_are_bounded_together(listening: Listening) -> None:
    lines = [f"X-{number}: {'x' * 1000}" for number in range(17)]
    assert " 431 " in listening.raw(f"POST {PATH} HTTP/1.1", "Host: x", *lines)
    assert " 431 " in listening.raw(f"POST /{'x' * 17_000} HTTP/1.1")
    assert listening.ask("GET", "/healthz", headers={"X-A": "x" * 15_000})[0] == 200


def test_what_follows_a_refused_body_is_not_taken_for_a_request(listening: Listening) -> None:
    with socket.create_connection(("127.0.0.1", listening.port), timeout=10) as wire:
        smuggled = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        wire.sendall(f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {len(smuggled)}\r\n\r\n{smuggled}".encode())
        answers = wire.makefile("rb").read().decode()
    assert answers.count("HTTP/1.1 ") == 1
    assert "connection: close" in answers


def test_one_who_hangs_up_is_not_worth_a_line(listening: Listening, caplog: pytest.LogCaptureFixture) -> None:
    wire = socket.create_connection(("127.0.0.1", listening.port), timeout=10)
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closed with a reset
    head = (f"POST {PATH} HTTP/1.1", "Host: x", *SIGNED_LINES, "Content-Length: 10", "", "123")
    wire.sendall("\r\n".join(head).encode())
    assert listening.ask("GET", "/healthz")[0] == 200  # so that the first is being listened to
    wire.close()
    assert listening.ask("GET", "/healthz")[0] == 200
    assert (listening.events, listening.said, caplog.text) == ([], [], "")


@dataclass
class Broken:
    """Takes whatever comes, and fails at one of its two jobs."""

    error: Exception
    at: str

    def verify(self, _headers: Mapping[str, str], _body: bytes) -> WebhookEvent:
        return WebhookEvent("d1", "acme/shop")

    def wake(self, _event: WebhookEvent) -> tuple[str, ...]:
        if self.at == "wake":
            raise self.error
        return ()

    def follow(self, _event: WebhookEvent) -> None:
        raise self.error


def ask_broken(broken: Broken, said: list[str]) -> tuple[int, str]:
    """The answer of a server whose receiver fails."""
    with in_thread(create_server("127.0.0.1", 0, make_webhook_routes(broken, said.append), said.append)) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        connection.request("POST", PATH, b"{}", LOOKS_SIGNED)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
    return answer.status, text


def test_what_fails_on_our_side_is_logged_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    status, text = ask_broken(Broken(RuntimeError("the database is gone"), at="wake"), [])
    assert (status, text) == (500, "Internal Server Error")
    assert "RuntimeError: the database is gone" in caplog.text


@pytest.mark.parametrize(("at", "status"), [("wake", 503), ("follow", 202)])
def test_an_outage_is_one_line_and_an_answer(at: str, status: int, caplog: pytest.LogCaptureFixture) -> None:
    said: list[str] = []
    away = DatabaseError("database-away", "the database x is away", help="")
    answer = ask_broken(Broken(away, at), said)
    assert (answer[0], "database" in answer[1]) == (status, False)
    assert said[0] == "error[database-away]: the database x is away"
    assert caplog.text == ""
