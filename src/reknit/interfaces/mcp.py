"""Serves a report session over two streams, one JSON-RPC message per line, and keeps its report in a file."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from reknit.core.agent_reports.document import to_document
from reknit.core.agent_reports.session import ReportSession, handle_message
from reknit.core.errors import UsageError

MAX_LINE_BYTES = 4_000_000


def serve_reports(
    session: ReportSession, incoming: BinaryIO, outgoing: BinaryIO, keep: Callable[[ReportSession], None]
) -> ReportSession:
    """Serve until the client closes its end. `keep` gets every new state before the client knows it was recorded."""
    while line := incoming.readline(MAX_LINE_BYTES):
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
    if len(line) < MAX_LINE_BYTES or line.endswith(b"\n"):
        return line
    while line and not line.endswith(b"\n"):
        line = incoming.readline(MAX_LINE_BYTES)
    raise ValueError(f"a line of more than {MAX_LINE_BYTES} bytes")


def _send(outgoing: BinaryIO, reply: dict[str, object]) -> None:
    outgoing.write(json.dumps(reply).encode() + b"\n")
    outgoing.flush()


def check_report_file(path: Path) -> None:
    """Fail before the agent works, not after. The file is not touched: clients also start a server to inspect it."""
    if path.exists() and not path.is_file():
        raise UsageError("out", f"{path} is not a file", help="name a file for the report")
    if not os.access(path.absolute().parent, os.W_OK):
        raise UsageError("out", f"no file can be created in {path.absolute().parent}", help="name a file elsewhere")


def write_report(path: Path, session: ReportSession) -> None:
    """Replace the file by a complete document of the newest state."""
    target = path.resolve()
    fresh = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        fresh.write_text(json.dumps(to_document(session), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        fresh.replace(target)
    except OSError as problem:
        raise UsageError("out", f"the report cannot be written: {problem}", help="name a file elsewhere") from problem
