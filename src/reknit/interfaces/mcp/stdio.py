"""Serves a report session over two streams: one JSON-RPC message per line, as MCP clients talk to a child process."""

import json
from collections.abc import Callable
from typing import BinaryIO

from reknit.core.agent_reports.session import ReportSession, handle_message

LONGEST_LINE = 4_000_000


def serve(
    session: ReportSession, incoming: BinaryIO, outgoing: BinaryIO, keep: Callable[[ReportSession], None]
) -> ReportSession:
    """Until the client closes its end. `keep` gets every new state before the client is told that it was recorded."""
    while line := incoming.readline(LONGEST_LINE):
        if not line.strip():
            continue
        try:
            message = json.loads(_whole(line, incoming))
        except (ValueError, RecursionError) as problem:
            _send(
                outgoing,
                {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": f"invalid JSON: {problem}"}},
            )
            continue
        after, reply = handle_message(session, message)
        if after != session:
            keep(after)
        session = after
        if reply is not None:
            _send(outgoing, reply)
    return session


def _whole(line: bytes, incoming: BinaryIO) -> bytes:
    if len(line) < LONGEST_LINE or line.endswith(b"\n"):
        return line
    while line and not line.endswith(b"\n"):
        line = incoming.readline(LONGEST_LINE)
    raise ValueError(f"a line of more than {LONGEST_LINE} bytes")


def _send(outgoing: BinaryIO, reply: dict[str, object]) -> None:
    outgoing.write(json.dumps(reply).encode() + b"\n")
    outgoing.flush()
