"""The desk on two streams: a line in, a line out, and nothing a client sends ends the serving."""

import io
import json
from typing import Any

import pytest

from reknit.core.agent_reports.session import ReportSession
from reknit.interfaces.mcp.stdio import LONGEST_LINE, serve

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
PONG = {"jsonrpc": "2.0", "id": 1, "result": {}}


def finish(status: str) -> bytes:
    params = {"name": "finish_fix", "arguments": {"status": status, "summary": "x"}}
    return json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}).encode()


def served(*lines: bytes) -> tuple[ReportSession, list[Any], list[ReportSession]]:
    kept: list[ReportSession] = []
    outgoing = io.BytesIO()
    session = serve(ReportSession("fix"), io.BytesIO(b"\n".join(lines)), outgoing, kept.append)
    return session, [json.loads(line) for line in outgoing.getvalue().splitlines()], kept


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"hello", id="no JSON"),
        pytest.param(b"\xff\xfe\xfd", id="no text"),
        pytest.param(b"[" * 200_000, id="too deep"),
        pytest.param(b"9" * 5_000, id="a number of 5000 digits"),
        pytest.param(b"x" * (3 * LONGEST_LINE), id="far too long"),
        pytest.param(b"x" * (LONGEST_LINE - 1), id="as long as may be"),
    ],
)
def test_a_line_that_is_no_message_gets_an_error_and_the_next_its_answer(line: bytes) -> None:
    _, (error, pong), kept = served(line, PING)
    assert (error["id"], error["error"]["code"]) == (None, -32700)
    assert (pong, kept) == (PONG, [])


def test_a_long_line_without_an_end_is_the_last() -> None:
    _, replies, _ = served(PING, b"x" * (LONGEST_LINE + 1))
    assert [reply.get("error", {}).get("code") for reply in replies] == [None, -32700]


def test_empty_lines_and_notifications_get_no_answer() -> None:
    assert served(b"", b"  ", b'{"jsonrpc":"2.0","method":"notifications/initialized"}', PING, b"")[1] == [PONG]


def test_every_new_state_is_kept_before_its_answer() -> None:
    outgoing = io.BytesIO()
    answered: list[bytes] = []
    lines = io.BytesIO(b"\n".join([PING, finish("fixd"), finish("fixed"), finish("fixed")]))
    session = serve(ReportSession("fix"), lines, outgoing, lambda _: answered.append(outgoing.getvalue()))
    assert [text.count(b"\n") for text in answered] == [1, 2]
    assert session.problem == ""
