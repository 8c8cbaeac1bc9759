"""What an answer used, and what the provider's `not now` says."""

import json

import pytest

from reknit.core.agent_call import Limited, Usage
from reknit.core.metering import Meter, NotNow, Tokens, as_limited, dearest_usd, not_now

NOW = 1_700_000_000.0
WINDOW = "anthropic-ratelimit-"


def event(content: object) -> bytes:
    return b"event: x\ndata: " + json.dumps(content).encode() + b"\n\n"


START = event(
    {
        "type": "message_start",
        "message": {
            "usage": {
                "input_tokens": 7,
                "cache_creation_input_tokens": 5,
                "cache_read_input_tokens": 90,
                "output_tokens": 1,
            }
        },
    }
)
DELTA = event({"type": "message_delta", "usage": {"output_tokens": 33}})


@pytest.mark.parametrize("size", [1, 10, 10_000])
def test_a_stream_is_metered_however_it_is_cut(size: int) -> None:
    stream = START + event({"type": "ping"}) + DELTA
    meter = Meter(streamed=True)
    for at in range(0, len(stream), size):
        meter.feed(stream[at : at + size])
    assert meter.tokens == Tokens(input=12, cached=90, output=33)


def test_a_stream_that_was_cut_counts_what_had_come() -> None:
    meter = Meter(streamed=True)
    meter.feed(START)
    meter.feed(DELTA[:20])
    assert meter.tokens == Tokens(12, 90, 1)


def test_a_last_line_without_its_end_counts() -> None:
    meter = Meter(streamed=True)
    meter.feed(DELTA.rstrip())
    assert meter.tokens == Tokens()
    meter.end()
    assert meter.tokens == Tokens(output=33)


def test_an_answer_that_is_not_streamed_is_read_at_its_end() -> None:
    meter = Meter(streamed=False)
    meter.feed(b'{\n "usage": {"input_tokens": 3,\n')
    meter.feed(b' "output_tokens": 4}\n}')
    meter.end()
    assert meter.tokens == Tokens(input=3, output=4)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b'data: {"usage": ', id="broken JSON"),
        pytest.param(b'data: ["usage"]', id="not an object"),
        pytest.param(b'data: {"usage": 3}', id="usage that is no object"),
        pytest.param(b'data: {"usage": null, "message": "usage"}', id="a message that is no object"),
        pytest.param(b'data: {"usage": {"input_tokens": -5, "output_tokens": "many"}}', id="counts that are none"),
        pytest.param(b'data: {"error": "usage"}', id="an error that is no object"),
        pytest.param(b'data: {"usage": ' + b"[" * 200_000, id="nested without end"),
    ],
)
def test_noise_is_not_counted(line: bytes) -> None:
    meter = Meter(streamed=True)
    meter.feed(line + b"\n")
    assert (meter.tokens, meter.error_status) == (Tokens(), 0)


def test_a_line_without_end_is_not_kept() -> None:
    meter = Meter(streamed=True)
    for _ in range(9):
        meter.feed(b"x" * (1 << 20))
    meter.feed(b"\n" + START)
    assert meter.tokens == Tokens(12, 90, 1)
    assert len(meter._rest) < 10


@pytest.mark.parametrize(
    ("kind", "status"), [("overloaded_error", 529), ("rate_limit_error", 429), ("invalid_request_error", 0)]
)
def test_an_error_inside_the_stream_stands_for_a_status(kind: str, status: int) -> None:
    meter = Meter(streamed=True)
    meter.feed(event({"type": "error", "error": {"type": kind}}))
    assert meter.error_status == status


def test_worth_weighs_output_and_cache_reads() -> None:
    assert Tokens(input=100, cached=1000, output=10).worth == 100 + 100 + 50


@pytest.mark.parametrize(
    ("headers", "until"),
    [
        pytest.param({"retry-after": "30"}, NOW + 30, id="seconds"),
        pytest.param({"retry-after": "0.5"}, NOW + 0.5, id="a part of a second"),
        pytest.param({"retry-after": "Wed, 15 Nov 2023 00:00:00 GMT"}, 1_700_006_400.0, id="a date"),
        pytest.param(
            {"retry-after": "Wed, 15 Nov 2023 00:00:00 -0000"}, 1_700_006_400.0, id="a date of no zone is UTC"
        ),
        pytest.param({"retry-after": "soon"}, None, id="words"),
        pytest.param({"retry-after": "-5"}, None, id="less than nothing"),
        pytest.param({}, None, id="no header"),
        pytest.param(
            {f"{WINDOW}tokens-remaining": "0", f"{WINDOW}tokens-reset": "2023-11-15T00:00:00Z"},
            1_700_006_400.0,
            id="an exhausted window",
        ),
        pytest.param(
            {
                f"{WINDOW}requests-remaining": "0",
                f"{WINDOW}requests-reset": "2023-11-14T23:00:00Z",
                f"{WINDOW}input-tokens-remaining": "0",
                f"{WINDOW}input-tokens-reset": "2023-11-15T00:00:00Z",
            },
            1_700_006_400.0,
            id="the later of two exhausted windows",
        ),
        pytest.param(
            {f"{WINDOW}tokens-remaining": "9", f"{WINDOW}tokens-reset": "2023-11-15T00:00:00Z"},
            None,
            id="a window with room",
        ),
        pytest.param({f"{WINDOW}tokens-remaining": "0"}, None, id="an exhausted window without a time"),
        pytest.param(
            {f"{WINDOW}unified-5h-status": "rejected", f"{WINDOW}unified-5h-reset": "1700006400"},
            1_700_006_400.0,
            id="a rejected window with its reset in seconds",
        ),
        pytest.param(
            {"other-remaining": "0", "other-reset": "2023-11-15T00:00:00Z"}, None, id="somebody else's window"
        ),
        pytest.param(
            {"retry-after": "30", f"{WINDOW}tokens-remaining": "0", f"{WINDOW}tokens-reset": "2023-11-15T00:00:00Z"},
            NOW + 30,
            id="the provider's own word comes first",
        ),
    ],
)
def test_not_now_names_the_time(headers: dict[str, str], until: float | None) -> None:
    assert not_now(429, headers, now=NOW) == NotNow(429, until)


@pytest.mark.parametrize(("status", "is_not_now"), [(429, True), (503, True), (529, True), (200, False), (500, False)])
def test_which_answers_are_not_now(status: int, is_not_now: bool) -> None:
    assert (not_now(status, {}, now=NOW) is not None) is is_not_now


@pytest.mark.parametrize(
    ("status", "limited"),
    [
        (429, Limited("rate_limited", 5.0)),
        (503, Limited("overloaded", 5.0)),
        (529, Limited("overloaded", 5.0)),
        (0, Limited("unreachable", 5.0)),
    ],
)
def test_as_limited(status: int, limited: Limited) -> None:
    assert as_limited(NotNow(status, 5.0)) == limited


def test_a_killed_call_is_charged_at_the_dearest_price() -> None:
    used = Usage(input_tokens=1_000_000, cached_tokens=1_000_000, output_tokens=100_000)
    assert dearest_usd(used) == pytest.approx(24.0)
    assert dearest_usd(Usage()) == 0
