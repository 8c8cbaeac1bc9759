"""Endings of Gemini CLI, in the shape its transcripts have."""

import json

import pytest

from reknit.core.agents.outcome import FinalEvent
from reknit.core.agents.streams.gemini import read

INIT = {"type": "init", "session_id": "s", "model": "gemini-2.5-pro"}
ASKED = {"type": "message", "role": "user", "content": "fix it"}
TOOL = {"type": "tool_use", "tool_name": "read_file", "tool_id": "1", "parameters": {}}
SUCCESS = {"type": "result", "status": "success", "stats": {"total_tokens": 360}}


def said(text: str) -> dict[str, object]:
    return {"type": "message", "role": "assistant", "content": text, "delta": True}


def failed(kind: str, message: str) -> dict[str, object]:
    return {"type": "result", "status": "error", "error": {"type": kind, "message": message}, "stats": {}}


def lines(*events: object) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


@pytest.mark.parametrize(
    ("event", "last"),
    [
        pytest.param(SUCCESS, FinalEvent(finished=True, words="Fixed it."), id="what it said since its last tool"),
        pytest.param(
            failed("unknown", "[API Error: slow down]"),
            FinalEvent(finished=False, words="[API Error: slow down]"),
            id="an error of the model",
        ),
        pytest.param(
            failed("FatalTurnLimitedError", "Reached max session turns"),
            FinalEvent(finished=False, words="Reached max session turns", turn_limit=True),
            id="the turns ran out",
        ),
        pytest.param({"type": "result", "status": "error"}, FinalEvent(finished=False), id="without a reason"),
    ],
)
def test_the_result_speaks(event: object, last: FinalEvent) -> None:
    assert read(lines(INIT, ASKED, said("let me look"), TOOL, said("Fixed"), said(" it."), event)) == last


def test_no_result_no_end() -> None:
    assert read(lines(INIT, ASKED, said("half of it"))) is None
