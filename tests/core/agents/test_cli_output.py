"""Events among noise."""

import json

import pytest

from reknit.core.agents.cli_output import parse_events, read_claude_end, read_codex_end, read_gemini_end
from reknit.core.agents.outcome import FinalEvent


@pytest.mark.parametrize(
    "stdout",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"warning: 3 things\n", id="prose"),
        pytest.param(b'{"type":"result","subtype":"suc', id="cut in the middle"),
        pytest.param(b'["result"]\n"text"\n3\n', id="not an object"),
        pytest.param(b'{"result": ' + b"[" * 200_000, id="nested without end"),
        pytest.param(b'{"a": "\xff\xfe"}', id="no text"),
    ],
)
def test_noise_is_no_failure(stdout: bytes) -> None:
    assert list(parse_events(stdout)) == []


def test_events_come_in_order() -> None:
    assert list(parse_events(b'{"a": 1}\nnoise\n{"b": 2}\r\n')) == [{"a": 1}, {"b": 2}]


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
        pytest.param(RESULT, FinalEvent(has_finished=True, words="Fixed."), id="the work is done"),
        pytest.param(
            {**FAILED, "api_error_status": 429},
            FinalEvent(has_finished=False, words="API Error"),
            id="still named success",
        ),
        pytest.param(
            {**FAILED, "subtype": "error_max_turns", "result": None, "errors": ["Reached maximum number of turns"]},
            FinalEvent(has_finished=False, words="Reached maximum number of turns", turn_limit=True),
            id="the turns ran out",
        ),
        pytest.param(
            {**FAILED, "terminal_reason": "prompt_too_long"},
            FinalEvent(has_finished=False, words="API Error", too_long=True),
            id="the window is full",
        ),
        pytest.param({**FAILED, "result": None, "errors": []}, FinalEvent(has_finished=False), id="without a word"),
        pytest.param({**FAILED, "result": None, "errors": None}, FinalEvent(has_finished=False), id="without errors"),
    ],
)
def test_the_last_result_speaks(event: dict[str, object], last: FinalEvent) -> None:
    assert read_claude_end(lines(INIT, {**RESULT, "result": "not yet"}, SAID, event)) == last


def test_no_result_no_end() -> None:
    assert read_claude_end(lines(INIT, SAID)) is None


BEGUN = ({"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"})
WARNING = {"type": "item.completed", "item": {"id": "item_0", "type": "error", "message": "a feature is deprecated"}}
RETRY = {"type": "error", "message": "Reconnecting... 1/1"}
DONE = {"type": "turn.completed", "usage": {"input_tokens": 300}}


def codex_message(text: str) -> dict[str, object]:
    return {"type": "item.completed", "item": {"id": "item_2", "type": "agent_message", "text": text}}


@pytest.mark.parametrize(
    ("event", "last"),
    [
        pytest.param(DONE, FinalEvent(has_finished=True, words="Fixed."), id="the last message of the agent"),
        pytest.param(
            {"type": "turn.failed", "error": {"message": "last status: 429"}},
            FinalEvent(has_finished=False, words="last status: 429"),
            id="an error of the model",
        ),
        pytest.param({"type": "turn.failed"}, FinalEvent(has_finished=False), id="without a reason"),
    ],
)
def test_the_end_of_the_turn_speaks(event: object, last: FinalEvent) -> None:
    assert (
        read_codex_end(lines(*BEGUN, WARNING, RETRY, codex_message("looking"), codex_message("Fixed."), event)) == last
    )


def test_an_error_event_is_no_end() -> None:
    assert read_codex_end(lines(*BEGUN, RETRY, codex_message("half of it"))) is None


GEMINI_INIT = {"type": "init", "session_id": "s", "model": "gemini-2.5-pro"}
ASKED = {"type": "message", "role": "user", "content": "fix it"}
TOOL = {"type": "tool_use", "tool_name": "read_file", "tool_id": "1", "parameters": {}}
SUCCESS = {"type": "result", "status": "success", "stats": {"total_tokens": 360}}


def gemini_message(text: str) -> dict[str, object]:
    return {"type": "message", "role": "assistant", "content": text, "delta": True}


def failed(kind: str, message: str) -> dict[str, object]:
    return {"type": "result", "status": "error", "error": {"type": kind, "message": message}, "stats": {}}


@pytest.mark.parametrize(
    ("event", "last"),
    [
        pytest.param(SUCCESS, FinalEvent(has_finished=True, words="Fixed it."), id="what it said since its last tool"),
        pytest.param(
            failed("unknown", "[API Error: slow down]"),
            FinalEvent(has_finished=False, words="[API Error: slow down]"),
            id="an error of the model",
        ),
        pytest.param(
            failed("FatalTurnLimitedError", "Reached max session turns"),
            FinalEvent(has_finished=False, words="Reached max session turns", turn_limit=True),
            id="the turns ran out",
        ),
        pytest.param({"type": "result", "status": "error"}, FinalEvent(has_finished=False), id="without a reason"),
    ],
)
def test_the_result_speaks(event: object, last: FinalEvent) -> None:
    assert (
        read_gemini_end(
            lines(
                GEMINI_INIT,
                ASKED,
                gemini_message("let me look"),
                TOOL,
                gemini_message("Fixed"),
                gemini_message(" it."),
                event,
            )
        )
        == last
    )


def test_gemini_without_a_result_did_not_end() -> None:
    assert read_gemini_end(lines(GEMINI_INIT, ASKED, gemini_message("half of it"))) is None
