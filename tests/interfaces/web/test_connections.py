"""Limits on what a request may use before it is verified."""

import contextlib
import json
import socket
import time
from collections.abc import Callable, Iterator

import pytest

from reknit.interfaces.web.connections import (
    LINES_PER_WINDOW,
    WINDOW_S,
    Connections,
    Refusals,
    RequestLimits,
    UnverifiedConnection,
)
from reknit.interfaces.web.webhooks import PATH
from tests.interfaces.web.listening import LOOKS_SIGNED, SIGNED_LINES, Listening, served, signed

SLOW = "refused a request from 127.0.0.1: 408, the request took too long"


def until(is_so: Callable[[], bool]) -> bool:
    ends_at = time.monotonic() + 10
    while not (found := is_so()) and time.monotonic() < ends_at:
        time.sleep(0.01)
    return found


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


@contextlib.contextmanager
def pair(deadline: float) -> Iterator[tuple[UnverifiedConnection, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield UnverifiedConnection(ours, deadline), theirs


def test_whoever_is_cut_can_be_answered_but_not_read() -> None:
    with pair(1.0) as (visit, theirs):
        connections = Connections(9)
        connections.add(visit)
        connections.cut_late(0.9)
        assert visit.cut is None
        connections.cut_late(1.0)
        assert visit.cut == (408, "the request took too long")
        assert visit.connection.recv(10) == b""
        visit.connection.sendall(b"408")
        assert theirs.recv(10) == b"408"


def test_one_that_was_verified_is_not_cut_any_more() -> None:
    with pair(1.0) as (visit, _):
        connections = Connections(1)
        connections.add(visit)
        connections.remove(visit)
        connections.remove(visit)
        connections.cut_late(2.0)
        assert visit.cut is None


def test_a_connection_that_is_closed_already_is_cut_without_a_word() -> None:
    with pair(9.0) as (visit, _), pair(9.0) as (next_one, _):
        connections = Connections(1)
        connections.add(visit)
        visit.connection.close()
        connections.add(next_one)
        assert (visit.cut, next_one.cut) == ((503, "too many connections"), None)


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


def test_a_minute_begins_with_its_first_line_and_the_next_one_starts_anew() -> None:
    said: list[str] = []
    refusals = Refusals(said.append)
    for _ in range(LINES_PER_WINDOW + 2):
        refusals.note("ann", 404, "no such path", now=100.0)
    refusals.flush(now=100.0 + WINDOW_S - 1)
    assert len(said) == LINES_PER_WINDOW, "the minute is not over"
    refusals.note("bob", 401, "not signed", now=100.0 + WINDOW_S)
    assert said[LINES_PER_WINDOW:] == [
        "refused 2 more requests (12 in all)",
        "refused a request from bob: 401, not signed",
    ]


def test_if_none_was_left_out_there_is_nothing_to_add() -> None:
    said: list[str] = []
    refusals = Refusals(said.append)
    refusals.note("ann", 404, "no such path", now=0.0)
    refusals.flush(now=1000.0)
    assert (said, refusals.count) == (["refused a request from ann: 404, no such path"], 1)
