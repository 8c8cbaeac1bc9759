"""How requests are read from the box: every length is clear, or the connection ends."""

import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest

from reknit.adapters.gateway.box_connection import BodyMemory, BoxRequest, NoMemoryError
from reknit.core.gateway.policy import MAX_BODY, MAX_STRANGERS_BODY
from reknit.core.gateway.wire import anthropic

WAIT_S = 20.0


@contextlib.contextmanager
def a_box(memory: BodyMemory | None = None) -> Iterator[tuple[socket.socket, list[bytes]]]:
    """The box's end of a connection, and the bodies that were taken on the other end."""
    ours, boxes = socket.socketpair()
    boxes.settimeout(WAIT_S)
    bodies: list[bytes] = []

    def attend(request: BoxRequest) -> None:
        bodies.append(request.body(MAX_BODY))
        request.begin(200, {})
        request.part(b"ok")
        request.end()

    def host() -> None:
        with ours:
            BoxRequest(ours, attend, anthropic.to_error, memory or BodyMemory())

    thread = threading.Thread(target=host)
    thread.start()
    try:
        yield boxes, bodies
    finally:
        boxes.close()
        thread.join(WAIT_S)


def everything(connection: socket.socket) -> bytes:
    """Until the other side ends."""
    return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize(
    ("head", "body"),
    [
        pytest.param("Content-Length: 5\r\n\r\nhello", b"hello", id="a length"),
        pytest.param("\r\n", b"", id="no body"),
        pytest.param("Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", b"hello", id="chunks"),
    ],
)
def test_bodies_are_read_whole(head: str, body: bytes) -> None:
    with a_box() as (box, bodies):
        box.sendall(f"POST / HTTP/1.1\r\nConnection: close\r\n{head}".encode())
        answer = everything(box)
    assert bodies == [body]
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"2\r\nok\r\n0\r\n\r\n")


@pytest.mark.parametrize(
    ("head", "why"),
    [
        pytest.param(
            "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"ambiguous", id="two lengths"
        ),
        pytest.param("Transfer-Encoding: gzip\r\n\r\n", b"ambiguous", id="another coding"),
        pytest.param("Content-Length: many\r\n\r\n", b"not a number", id="a length in words"),
        pytest.param("Content-Length: -1\r\n\r\n", b"not a number", id="a length below nothing"),
        pytest.param("Content-Length: +5\r\n\r\nhello", b"not a number", id="a length with a sign"),
        pytest.param("Content-Length: 1_0\r\n\r\nhellohello", b"not a number", id="a length as Python reads it"),
        pytest.param("Content-Length: 5\r\nContent-Length: 0\r\n\r\nhello", b"ambiguous", id="a length twice"),
        pytest.param("Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n\r\n", b"ambiguous", id="two codings"),
        pytest.param(f"Content-Length: {MAX_BODY + 1}\r\n\r\n", b"too large", id="too large"),
        pytest.param("Transfer-Encoding: chunked\r\n\r\nffffffffff\r\n", b"too large", id="a chunk too large"),
        pytest.param("Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n", b"not well formed", id="a chunk too long"),
        pytest.param("Transfer-Encoding: chunked\r\n\r\n0\r\nx: y\r\n\r\n", b"trailers", id="trailers"),
        pytest.param("Content-Length: 9\r\n\r\nhello", b"too early", id="cut"),
    ],
)
def test_a_body_of_unclear_length_ends_the_connection(head: str, why: bytes) -> None:
    with a_box() as (box, bodies):
        box.sendall(f"POST / HTTP/1.1\r\n{head}".encode())
        box.shutdown(socket.SHUT_WR)
        answer = everything(box)
    assert answer.startswith(b"HTTP/1.1 413" if why == b"too large" else b"HTTP/1.1 403")
    assert why in answer
    assert bodies == []


def test_chunks_are_bounded_together() -> None:
    chunk = b"1000000\r\n" + b"x" * (16 << 20) + b"\r\n"
    with a_box() as (box, bodies):
        box.sendall(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk * 4 + b"1\r\nx\r\n")
        box.shutdown(socket.SHUT_WR)
        assert b"too large" in everything(box)
    assert bodies == []


def test_room_is_given_back_with_the_answer() -> None:
    """What goes beyond a small body takes up room: five bytes twice, one after the other, and then nine."""
    content = b"x" * (MAX_STRANGERS_BODY + 5)
    size = len(content)
    with a_box(BodyMemory(8)) as (box, bodies):
        box.sendall(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (size, content))
        chunked = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (size, content)
        box.sendall(b"POST / HTTP/1.1\r\n" + chunked)
        box.sendall(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (size + 4))
        answer = everything(box)
    assert bodies == [content, content]
    assert answer.count(b"HTTP/1.1 200") == 2
    assert b"HTTP/1.1 503" in answer


def test_a_part_of_no_bytes_does_not_end_the_answer() -> None:
    ours, boxes = socket.socketpair()

    def attend(request: BoxRequest) -> None:
        request.begin(200, {})
        request.part(request.body(MAX_BODY))
        request.end()

    with boxes:
        boxes.sendall(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
        with ours:
            BoxRequest(ours, attend, anthropic.to_error, BodyMemory())
        assert everything(boxes).count(b"0\r\n\r\n") == 1


def test_a_box_that_hung_up_is_nobodys_failure() -> None:
    ours, boxes = socket.socketpair()
    gone: list[bool] = []

    def attend(request: BoxRequest) -> None:
        boxes.close()
        request.begin(200, {})
        request.part(b"hello")
        request.end()
        gone.append(request.has_hung_up)

    boxes.sendall(b"GET / HTTP/1.1\r\n\r\n")
    with ours:
        BoxRequest(ours, attend, anthropic.to_error, BodyMemory())
    assert gone == [True]


def test_an_answer_to_head_has_no_body() -> None:
    with a_box() as (box, _):
        box.sendall(b"HEAD / HTTP/1.1\r\nContent-Length: x\r\n\r\n")
        assert everything(box).endswith(b"\r\n\r\n")


def test_room_is_taken_and_given_back() -> None:
    memory = BodyMemory(10)
    memory.take(6)
    with pytest.raises(NoMemoryError, match="too much data in flight"):
        memory.take(5)
    memory.take(4)
    memory.release(6)
    memory.take(5)
