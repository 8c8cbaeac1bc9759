"""Endings of Claude Code, in the shape its transcripts have."""

import json

import pytest

from reknit.core.agent_call import Broke, Done, Limited, Outcome, Refused, Usage
from reknit.core.box import Ended, EndReason
from reknit.core.gateway import OVER_BUDGET
from reknit.core.metering import UNREACHABLE, NotNow
from reknit.core.parsers.claude_stream import outcome, read

INIT = {"type": "system", "subtype": "init", "tools": ["Bash"], "model": "m"}
SAID = {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "the result"}]}}
MODEL = {
    "inputTokens": 300,
    "outputTokens": 60,
    "cacheReadInputTokens": 9,
    "cacheCreationInputTokens": 4,
    "costUSD": 0.1,
}
RESULT = {
    "type": "result", "subtype": "success", "is_error": False, "api_error_status": None, "result": "Fixed.",
    "terminal_reason": "completed", "num_turns": 3, "total_cost_usd": 0.25, "usage": {"input_tokens": 300},
    "modelUsage": {"big": MODEL, "small": MODEL},
}  # fmt: skip


def lines(*events: object) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def failed(status: int | None, **more: object) -> dict[str, object]:
    """An API error: the subtype still says success."""
    return {
        **RESULT,
        "is_error": True,
        "api_error_status": status,
        "terminal_reason": "api_error",
        "result": "API Error",
        **more,
    }


def end_of(event: object, reason: EndReason = "exit", exit_code: int = 1, **more: object) -> Outcome:
    limit, refused = more.get("limit"), more.get("refused", ())
    assert limit is None or isinstance(limit, NotNow)
    assert isinstance(refused, tuple)
    ended = Ended(reason, exit_code, lines(INIT, SAID, event), b"oh no\n", 1.0)
    return outcome(read(ended.stdout), ended, limit=limit, refused=refused)


def test_the_last_result_is_read_with_the_usage_of_all_models() -> None:
    end = read(lines(INIT, {**RESULT, "result": "not yet"}, SAID, RESULT))
    assert end is not None
    assert (end.words, end.subtype, end.is_error, end.status) == ("Fixed.", "success", False, 0)
    assert end.usage == Usage(input_tokens=608, cached_tokens=18, output_tokens=120, cost_usd=0.25)


@pytest.mark.parametrize(
    "stdout",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(lines(INIT, SAID), id="killed before the end"),
        pytest.param(b'{"type":"result","subtype":"suc', id="cut in the middle"),
        pytest.param(b'["result"]\n', id="not an object"),
        pytest.param(b'{"result": ' + b"[" * 200_000, id="nested without end"),
    ],
)
def test_no_result_no_end(stdout: bytes) -> None:
    assert read(stdout) is None


@pytest.mark.parametrize(
    ("more", "usage"),
    [
        pytest.param({"modelUsage": {}, "total_cost_usd": 0}, Usage(), id="nothing used"),
        pytest.param({"modelUsage": None, "total_cost_usd": None}, Usage(), id="nothing told"),
        pytest.param({"modelUsage": {"m": 3}, "total_cost_usd": "1"}, Usage(), id="words for numbers"),
        pytest.param(
            {"modelUsage": {"m": {"inputTokens": -9}}, "total_cost_usd": -1.0}, Usage(), id="a cost below nothing"
        ),
        pytest.param({"modelUsage": {}, "total_cost_usd": float("nan")}, Usage(), id="a cost that is no number"),
    ],
)
def test_a_forged_account_cannot_refill_the_budget(more: dict[str, object], usage: Usage) -> None:
    end = read(lines({**RESULT, **more}))
    assert end is not None
    assert end.usage == usage


def test_words_are_cut_and_hold_no_escapes_and_no_secrets() -> None:
    end = read(lines({**RESULT, "result": "\x1b[31mred\x1b[0m sk-ant-api03-" + "a" * 40 + " " + "b" * 900}))
    assert end is not None
    assert end.words.startswith("red [Anthropic key redacted] bbb")
    assert len(end.words) == 500


@pytest.mark.parametrize(
    ("errors", "words"),
    [(["Reached maximum number of turns (2)"], "Reached maximum number of turns (2)"), ([], ""), (None, "")],
)
def test_without_a_result_text_the_first_error_speaks(errors: object, words: str) -> None:
    end = read(lines({**RESULT, "result": None, "errors": errors}))
    assert end is not None
    assert end.words == words


@pytest.mark.parametrize(
    ("reason", "broke"), [("wall", Broke("timeout")), ("idle", Broke("idle")), ("output", Broke("output"))]
)
def test_a_box_that_was_killed_is_broken_whatever_it_said(reason: EndReason, broke: Broke) -> None:
    assert end_of(RESULT, reason, 0) == broke


def test_done_needs_the_last_word_and_the_exit_code() -> None:
    assert end_of(RESULT, exit_code=0) == Done()
    assert end_of(RESULT, exit_code=1) == Broke("crashed", "exit code 1 after its last word")
    assert end_of(SAID, exit_code=0) == Broke("crashed", "oh no")


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        pytest.param({**RESULT, "is_error": True, "subtype": "error_max_turns"}, Broke("turn_limit"), id="turns"),
        pytest.param({**RESULT, "is_error": True, "subtype": "error_max_budget_usd"}, Broke("budget"), id="money"),
        pytest.param(failed(429), Limited("rate_limited"), id="429"),
        pytest.param(failed(529), Limited("overloaded"), id="529"),
        pytest.param(failed(500), Limited("overloaded"), id="500"),
        pytest.param(failed(502), Limited("overloaded"), id="502 of the provider"),
        pytest.param(failed(None, api_error="connection_failed"), Limited("unreachable"), id="no connection"),
        pytest.param(failed(401), Refused("auth", "API Error"), id="401"),
        pytest.param(failed(403), Refused("auth", "API Error"), id="403"),
        pytest.param(failed(404), Refused("bad_request", "API Error"), id="an unknown model"),
        pytest.param(failed(400), Refused("bad_request", "API Error"), id="400"),
        pytest.param(
            failed(400, terminal_reason="prompt_too_long"), Broke("crashed", "API Error"), id="the window is full"
        ),
        pytest.param(failed(413), Broke("crashed", "API Error"), id="too large"),
        pytest.param(failed(None, subtype="error_during_execution"), Broke("crashed", "API Error"), id="anything else"),
    ],
)
def test_what_the_cli_says(event: object, expected: Outcome) -> None:
    assert end_of(event) == expected


@pytest.mark.parametrize(
    ("event", "limit", "refused", "expected"),
    [
        pytest.param(failed(429), NotNow(429, 9.0), (), Limited("rate_limited", 9.0), id="until from the gateway"),
        pytest.param(failed(529), NotNow(529, 9.0), (), Limited("overloaded", 9.0), id="overloaded until"),
        pytest.param(failed(502), NotNow(UNREACHABLE), (), Limited("unreachable"), id="the gateway found nobody"),
        pytest.param(failed(502), NotNow(503, 9.0), (), Limited("overloaded", 9.0), id="502 after 503"),
        pytest.param(failed(403), None, ("x", OVER_BUDGET), Broke("budget"), id="403 of the gateway's own: budget"),
        pytest.param(
            failed(403),
            None,
            ("path",),
            Refused("bad_request", "the gateway refused: path"),
            id="403 of the gateway's own",
        ),
        pytest.param(failed(401), None, ("path",), Refused("auth", "API Error"), id="401 is always the provider's"),
        pytest.param(failed(None), NotNow(529), (), Limited("overloaded"), id="an error inside the stream"),
    ],
)
def test_what_the_gateway_knows_better(
    event: object, limit: NotNow | None, refused: tuple[str, ...], expected: Outcome
) -> None:
    assert end_of(event, limit=limit, refused=refused) == expected
