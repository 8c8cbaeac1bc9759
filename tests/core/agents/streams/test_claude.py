"""Endings of Claude Code, in the shape its transcripts have."""

import json

import pytest

from reknit.core.agents.outcome import FinalEvent
from reknit.core.agents.streams.claude import read

INIT = {"type": "system", "subtype": "init", "tools": ["Bash"], "model": "m"}
SAID = {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "the result"}]}}
RESULT = {
    "type": "result", "subtype": "success", "is_error": False, "api_error_status": None, "result": "Fixed.",
    "terminal_reason": "completed", "num_turns": 3, "total_cost_usd": 0.25,
}  # fmt: skip
FAILED = {**RESULT, "is_error": True, "terminal_reason": "api_error", "result": "API Error"}


def lines(*events: object) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


@pytest.mark.parametrize(
    ("event", "last"),
    [
        pytest.param(RESULT, FinalEvent(finished=True, words="Fixed."), id="the work is done"),
        pytest.param(
            {**FAILED, "api_error_status": 429}, FinalEvent(finished=False, words="API Error"), id="still named success"
        ),
        pytest.param(
            {**FAILED, "subtype": "error_max_turns", "result": None, "errors": ["Reached maximum number of turns"]},
            FinalEvent(finished=False, words="Reached maximum number of turns", turn_limit=True),
            id="the turns ran out",
        ),
        pytest.param(
            {**FAILED, "terminal_reason": "prompt_too_long"},
            FinalEvent(finished=False, words="API Error", too_long=True),
            id="the window is full",
        ),
        pytest.param({**FAILED, "result": None, "errors": []}, FinalEvent(finished=False), id="without a word"),
        pytest.param({**FAILED, "result": None, "errors": None}, FinalEvent(finished=False), id="without errors"),
    ],
)
def test_the_last_result_speaks(event: dict[str, object], last: FinalEvent) -> None:
    assert read(lines(INIT, {**RESULT, "result": "not yet"}, SAID, event)) == last


def test_no_result_no_end() -> None:
    assert read(lines(INIT, SAID)) is None
