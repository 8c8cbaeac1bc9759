"""The desk on two streams: a line in, a line out, and nothing a client sends ends the serving."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from reknit.core.agent_reports.session import ReportSession
from reknit.core.agent_reports.values import FixReport
from reknit.core.errors import UsageError
from reknit.interfaces.mcp import MAX_LINE_BYTES, check_report_file, serve_reports, write_report

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
PONG = {"jsonrpc": "2.0", "id": 1, "result": {}}


def finish(status: str) -> bytes:
    params = {"name": "finish_fix", "arguments": {"status": status, "summary": "x"}}
    return json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}).encode()


def served(*lines: bytes) -> tuple[ReportSession, list[Any], list[ReportSession]]:
    kept: list[ReportSession] = []
    outgoing = io.BytesIO()
    session = serve_reports(ReportSession("fix"), io.BytesIO(b"\n".join(lines)), outgoing, kept.append)
    return session, [json.loads(line) for line in outgoing.getvalue().splitlines()], kept


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"hello", id="no JSON"),
        pytest.param(b"\xff\xfe\xfd", id="no text"),
        pytest.param(b"[" * 200_000, id="too deep"),
        pytest.param(b"9" * 5_000, id="a number of 5000 digits"),
        pytest.param(b"x" * (3 * MAX_LINE_BYTES), id="far too long"),
        pytest.param(b"x" * (MAX_LINE_BYTES - 1), id="as long as may be"),
    ],
)
def test_a_line_that_is_no_message_gets_an_error_and_the_next_its_answer(line: bytes) -> None:
    _, (error, pong), kept = served(line, PING)
    assert (error["id"], error["error"]["code"]) == (None, -32700)
    assert (pong, kept) == (PONG, [])


def test_a_long_line_without_an_end_is_the_last() -> None:
    _, replies, _ = served(PING, b"x" * (MAX_LINE_BYTES + 1))
    assert [reply.get("error", {}).get("code") for reply in replies] == [None, -32700]


def test_empty_lines_and_notifications_get_no_answer() -> None:
    assert served(b"", b"  ", b'{"jsonrpc":"2.0","method":"notifications/initialized"}', PING, b"")[1] == [PONG]


def test_every_new_state_is_kept_before_its_answer() -> None:
    outgoing = io.BytesIO()
    answered: list[bytes] = []
    lines = io.BytesIO(b"\n".join([PING, finish("fixd"), finish("fixed"), finish("fixed")]))
    session = serve_reports(ReportSession("fix"), lines, outgoing, lambda _: answered.append(outgoing.getvalue()))
    assert [text.count(b"\n") for text in answered] == [1, 2]
    assert session.problem == ""


FIXED = ReportSession("fix", closing=FixReport("fixed", "größer"))


def test_the_newest_state_replaces_the_one_before_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    write_report(path, ReportSession("fix"))
    write_report(path, FIXED)
    assert json.loads(path.read_text(encoding="utf-8"))["report"]["summary"] == "größer"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_followed_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("report.json")
    write_report(tmp_path / "link", FIXED)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "report.json").is_file()


def test_checking_leaves_the_last_report_alone(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    check_report_file(path)
    assert not path.exists()
    path.write_text("the last one")
    check_report_file(path)
    assert path.read_text() == "the last one"


@pytest.mark.parametrize("name", [".", "nowhere/report.json"])
def test_a_place_that_takes_no_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError) as refused:
        check_report_file(tmp_path / name)
    assert refused.value.name == "out"


def test_a_device_is_never_replaced() -> None:
    with pytest.raises(UsageError, match="not a file"):
        check_report_file(Path("/dev/null"))


def test_a_folder_that_went_away_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the report cannot be written"):
        write_report(tmp_path / "gone" / "report.json", FIXED)
