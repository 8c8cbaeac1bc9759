"""Limits on what a request may use before it is verified."""

import contextlib
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from reknit.core.forge.values import WebhookEvent
from reknit.interfaces.web.limits import RequestLimits
from reknit.interfaces.web.webhooks import PATH
from tests.interfaces.web.listening import LOOKS_SIGNED, SIGNED_LINES, Listening, served, signed, until

SLOW = "refused a request from 127.0.0.1: 408, the request took too long"


@pytest.mark.parametrize("begun", ["POST", f"POST {PATH} HTTP/1.1\r\nHost", "body"])
def test_a_slow_sender_is_cut_after_its_total_time(begun: str, capfd: pytest.CaptureFixture[str]) -> None:
    """However often it sends: a byte every 50 ms would never run into the timeout of one read."""
    head = "\r\n".join((f"POST {PATH} HTTP/1.1", "Host: x", *SIGNED_LINES, "Content-Length: 9999", "", "x"))
    listening = Listening()
    with (
        served(listening, RequestLimits(total_s=0.5)),
        socket.create_connection(("127.0.0.1", listening.port), timeout=10) as wire,
    ):
        began = time.monotonic()
        wire.sendall((head if begun == "body" else begun).encode())
        wire.settimeout(0.05)
        answer = b""
        while b"\r\n\r\n" not in answer:
            assert time.monotonic() - began < 30
            with contextlib.suppress(TimeoutError):
                answer += wire.recv(1000)
            with contextlib.suppress(ConnectionError):  # the server has closed, and what it said can still be read
                wire.sendall(b"x")
        assert answer.startswith(b"HTTP/1.1 408 ")
    assert 0.4 < time.monotonic() - began < 30
    assert (listening.said, listening.events, capfd.readouterr().err) == ([SLOW], [], "")


def test_if_there_are_too_many_the_oldest_connection_is_cut() -> None:
    listening = Listening()
    with served(listening, RequestLimits(connections=3)), contextlib.ExitStack() as stack:
        wires = []
        for _ in range(5):
            wires.append(stack.enter_context(socket.create_connection(("127.0.0.1", listening.port), timeout=10)))
            wires[-1].sendall(b"POST")
        for wire in wires[:2]:
            assert wire.recv(1000).startswith(b"HTTP/1.1 503 ")
        body = b"{}"
        assert listening.ask("POST", PATH, body, signed(body))[0] == 202
    assert listening.said[:2] == ["refused a request from 127.0.0.1: 503, too many connections"] * 2


def test_large_bodies_share_what_is_held_and_small_ones_always_have_room() -> None:
    listening = Listening()
    head = "\r\n".join((f"POST {PATH} HTTP/1.1", "Host: x", *SIGNED_LINES, "Content-Length: 9000", "", ""))
    small, large = (json.dumps({"zen": "x" * size}).encode() for size in (900, 8000))
    with served(listening, RequestLimits(small_body=1000, held_bytes=5000)):
        with contextlib.ExitStack() as stack:
            for _ in range(2):
                wire = stack.enter_context(socket.create_connection(("127.0.0.1", listening.port), timeout=10))
                wire.sendall(head.encode() + b"x" * 5000)  # 4000 of them beyond what always has room
            assert until(lambda: bool(listening.said))
            assert listening.said == ["refused a request from 127.0.0.1: 503, too much data at once"]
            assert listening.ask("POST", PATH, small, signed(small))[0] == 202
            assert listening.ask("POST", PATH, large, signed(large))[0] == 503
        assert until(lambda: listening.ask("POST", PATH, large[:5000], LOOKS_SIGNED)[0] == 401)  # it was given back


def test_one_that_was_verified_is_not_cut_any_more() -> None:
    """What follows its last byte may take as long as it takes."""
    listening, began = Listening(), threading.Event()

    def wake(_event: WebhookEvent) -> tuple[str, ...]:
        began.set()
        listening.may_end.wait(10)
        return ()

    listening.wake = wake  # type: ignore[method-assign, assignment]
    body = b"{}"
    with served(listening, RequestLimits(connections=1, total_s=0.3)), ThreadPoolExecutor() as pool:
        answer = pool.submit(listening.ask, "POST", PATH, body, signed(body))
        assert began.wait(10)
        with socket.create_connection(("127.0.0.1", listening.port), timeout=10) as wire:
            wire.sendall(b"POST")
            assert wire.recv(1000).startswith(b"HTTP/1.1 408 ")  # so its own time is over, too
        listening.may_end.set()
        assert answer.result()[0] == 202


def test_a_connection_that_sends_nothing_is_closed_without_a_word() -> None:
    listening = Listening()
    with (
        served(listening, RequestLimits(total_s=0.2)),
        socket.create_connection(("127.0.0.1", listening.port), timeout=10) as wire,
    ):
        assert wire.recv(1000) == b""
    assert listening.said == []


def test_a_second_request_on_a_connection_has_limits_of_its_own() -> None:
    listening = Listening()
    with (
        served(listening, RequestLimits(total_s=0.3)),
        socket.create_connection(("127.0.0.1", listening.port), timeout=10) as wire,
    ):
        wire.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        answers = wire.recv(1000)
        wire.sendall(b"GET /hea")
        answers += wire.makefile("rb").read()
    assert answers.count(b"HTTP/1.1 200 ") == 1
    assert answers.count(b"HTTP/1.1 408 ") == 1
    assert listening.said == [SLOW]


def test_what_is_refused_is_logged_without_a_word_of_it_and_not_too_often() -> None:
    listening = Listening()
    with served(listening) as serving:
        listening.raw("\x1b[31mevil")
        for _ in range(25):
            assert listening.ask("POST", "/evil-path", b"evil", {"X-Evil": "evil"})[0] == 404
        assert serving.refusals.count == 26
        assert len(listening.said) == 10
    assert "evil" not in "".join(listening.said)
    assert "\x1b" not in "".join(listening.said)
    assert listening.said[10:] == ["refused 16 more requests (26 in all)"]
