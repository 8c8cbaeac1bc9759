"""What an answer used, and what the provider's `not now` says."""

import json

import pytest

from reknit.core.agents.call import RateLimited
from reknit.core.agents.outcome import to_rate_limited
from reknit.core.gateway.metering import (
    AnswerFacts,
    Meter,
    ProviderRefusal,
    Tokens,
    find_status,
    merge_facts,
    parse_span_s,
    read_count,
    read_retry_time,
    to_refusal,
)
from reknit.core.text.untrusted_input import Json

NOW = 1_700_000_000.0


def tell(event: Json) -> AnswerFacts:
    return AnswerFacts(Tokens(input=read_count(event, "in"), output=read_count(event, "out")), final="out" in event)


def line(content: object) -> bytes:
    return b"event: x\ndata: " + json.dumps(content).encode() + b"\n\n"


START, END = line({"in": 7}), line({"in": 3, "out": 33})


@pytest.mark.parametrize("size", [1, 10, 10_000])
def test_a_stream_is_metered_however_it_is_cut(size: int) -> None:
    stream = START + line({"type": "ping"}) + END
    meter = Meter(tell, streamed=True)
    for at in range(0, len(stream), size):
        meter.feed(stream[at : at + size])
    assert meter.facts == AnswerFacts(Tokens(input=7, output=33), final=True)


def test_a_stream_that_was_cut_counts_what_had_come() -> None:
    meter = Meter(tell, streamed=True)
    meter.feed(START)
    meter.feed(END[:20])
    assert meter.facts == AnswerFacts(Tokens(input=7))


def test_a_last_line_without_its_end_counts() -> None:
    meter = Meter(tell, streamed=True)
    meter.feed(END.rstrip())
    assert meter.facts == AnswerFacts()
    meter.end()
    assert meter.facts.final


def test_an_answer_that_is_not_streamed_is_read_at_its_end() -> None:
    meter = Meter(tell, streamed=False)
    meter.feed(b'{\n "in": 3,\n')
    meter.feed(b' "out": 4\n}')
    assert meter.facts == AnswerFacts()
    meter.end()
    assert meter.facts.tokens == Tokens(input=3, output=4)


def test_a_stream_that_is_one_list_is_read_item_by_item() -> None:
    meter = Meter(tell, streamed=False)
    meter.feed(b'[{"in": 3}, 5, {"out": 4}]')
    meter.end()
    assert meter.facts.tokens == Tokens(input=3, output=4)


@pytest.mark.parametrize(
    "noise",
    [
        pytest.param(b'data: {"in": ', id="broken JSON"),
        pytest.param(b'data: ["in"]', id="not an object"),
        pytest.param(b"data: [DONE]", id="a closing word"),
        pytest.param(b'data: {"in": -5, "nothing": "many"}', id="counts that are none"),
        pytest.param(b'data: {"in": ' + b"[" * 200_000, id="nested without end"),
    ],
)
def test_noise_is_not_counted(noise: bytes) -> None:
    meter = Meter(tell, streamed=True)
    meter.feed(noise + b"\n")
    assert meter.facts == AnswerFacts()


def test_a_line_without_end_is_not_kept() -> None:
    meter = Meter(tell, streamed=True)
    for _ in range(9):
        meter.feed(b"x" * (1 << 20))
    meter.feed(b"\n" + START)
    assert meter.facts.tokens == Tokens(input=7)
    assert len(meter._rest) < 10


@pytest.mark.parametrize(
    ("events", "begun"),
    [
        pytest.param([], False, id="nothing"),
        pytest.param([AnswerFacts(announces=True), AnswerFacts(status=529)], False, id="nothing but an error"),
        pytest.param([AnswerFacts(), AnswerFacts(status=529)], True, id="a part before an error"),
        pytest.param([AnswerFacts(status=529), AnswerFacts()], True, id="a part after an error"),
    ],
)
def test_whether_an_answer_has_begun(events: list[AnswerFacts], begun: bool) -> None:
    coming = iter(events)
    meter = Meter(lambda _: next(coming), streamed=True)
    meter.feed(line({}) * len(events))
    assert meter.is_started is begun


def test_a_line_too_long_to_be_read_is_a_part_of_the_answer() -> None:
    meter = Meter(tell, streamed=True)
    meter.feed(b"x" * (9 << 20))
    assert meter.is_started


def test_a_prompt_that_is_called_cached_later_is_not_counted_twice() -> None:
    first, last = Tokens(input=100, output=1), Tokens(input=10, cached=90, output=5)
    assert merge_facts(AnswerFacts(first), AnswerFacts(last)).tokens == last
    assert merge_facts(AnswerFacts(last), AnswerFacts(Tokens(output=9))).tokens == Tokens(input=10, cached=90, output=9)


@pytest.mark.parametrize(
    ("http", "told", "status"),
    [
        pytest.param(400, 401, 401, id="the body is more exact than a bad request"),
        pytest.param(200, 529, 529, id="and than success"),
        pytest.param(200, 0, 200, id="when it says something"),
        pytest.param(401, 400, 401, id="not more exact than another error"),
        pytest.param(429, 403, 403, id="a limit that only a person can end"),
        pytest.param(429, 400, 429, id="another limit"),
    ],
)
def test_what_an_answer_stands_for(http: int, told: int, status: int) -> None:
    assert find_status(http, AnswerFacts(status=told)) == status


def test_what_was_told_is_kept_when_later_events_say_less() -> None:
    first = AnswerFacts(Tokens(1, 2, 3, 4, 5, 6), final=True, status=429, wait_s=2.0, refused=True)
    assert merge_facts(first, AnswerFacts()) == merge_facts(AnswerFacts(), first) == first
    assert merge_facts(first, AnswerFacts(wait_s=3.0, status=500)).wait_s == 3.0


def test_a_prompt_is_what_was_read_in_any_way() -> None:
    assert Tokens(input=1, cache_write=20, cache_write_short=20, cached=300, output=4000).prompt == 321


@pytest.mark.parametrize(
    ("usage", "number"),
    [({"a": {"b": 3}}, 3), ({"a": {"b": -3}}, 0), ({"a": 3}, 0), ({}, 0), (None, 0), ({"a": {"b": "3"}}, 0)],
)
def test_counts_are_found_or_nothing(usage: object, number: int) -> None:
    assert read_count(usage, "a", "b") == number


@pytest.mark.parametrize(
    ("headers", "wait_s", "until"),
    [
        pytest.param({"retry-after": "30"}, None, NOW + 30, id="by a header"),
        pytest.param({}, 34.5, NOW + 34.5, id="by the body"),
        pytest.param({"retry-after": "30"}, 99.0, NOW + 30, id="the header comes first"),
        pytest.param({}, None, None, id="no time"),
    ],
)
def test_not_now_names_the_time(headers: dict[str, str], wait_s: float | None, until: float | None) -> None:
    assert to_refusal(429, headers, wait_s=wait_s, now=NOW) == ProviderRefusal(429, until)


@pytest.mark.parametrize(
    ("status", "is_not_now"),
    [
        (408, True),
        (429, True),
        (500, True),
        (502, True),
        (504, True),
        (529, True),
        (200, False),
        (0, False),
        (400, False),
        (505, False),
    ],
)
def test_which_answers_are_not_now(status: int, is_not_now: bool) -> None:
    assert (to_refusal(status, {}, now=NOW) is not None) is is_not_now


@pytest.mark.parametrize(
    ("status", "limited"),
    [
        (429, RateLimited("rate_limited", 5.0)),
        (408, RateLimited("overloaded", 5.0)),
        (503, RateLimited("overloaded", 5.0)),
        (529, RateLimited("overloaded", 5.0)),
        (0, RateLimited("unreachable", 5.0)),
    ],
)
def test_as_limited(status: int, limited: RateLimited) -> None:
    assert to_rate_limited(ProviderRefusal(status, 5.0)) == limited


MIDNIGHT = 1_700_006_400.0
WINDOW = "anthropic-ratelimit-"


@pytest.mark.parametrize(
    ("headers", "until"),
    [
        pytest.param({"retry-after": "30"}, NOW + 30, id="seconds"),
        pytest.param({"retry-after": "0.5"}, NOW + 0.5, id="a part of a second"),
        pytest.param({"retry-after": "Wed, 15 Nov 2023 00:00:00 GMT"}, MIDNIGHT, id="a date"),
        pytest.param({"retry-after": "Wed, 15 Nov 2023 00:00:00 -0000"}, MIDNIGHT, id="a date of no zone is UTC"),
        pytest.param({"retry-after": "soon"}, None, id="words"),
        pytest.param({"retry-after": "-5"}, None, id="less than nothing"),
        pytest.param({}, None, id="no header"),
        pytest.param(
            {f"{WINDOW}tokens-remaining": "0", f"{WINDOW}tokens-reset": "2023-11-15T00:00:00Z"},
            MIDNIGHT,
            id="an exhausted window",
        ),
        pytest.param(
            {
                f"{WINDOW}requests-remaining": "0",
                f"{WINDOW}requests-reset": "2023-11-14T23:00:00Z",
                f"{WINDOW}input-tokens-remaining": "0",
                f"{WINDOW}input-tokens-reset": "2023-11-15T00:00:00Z",
            },
            MIDNIGHT,
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
            MIDNIGHT,
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
        pytest.param(
            {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}, NOW + 360, id="OpenAI's window"
        ),
        pytest.param(
            {"x-ratelimit-remaining-tokens": "9", "x-ratelimit-reset-tokens": "6m0s"}, None, id="OpenAI's, with room"
        ),
        pytest.param({"x-ratelimit-remaining-requests": "0"}, None, id="OpenAI's, without a time"),
    ],
)
def test_the_time_is_named(headers: dict[str, str], until: float | None) -> None:
    assert read_retry_time(headers, now=NOW) == until


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("34.07s", 34.07), ("20ms", 0.02), ("1h0m1.5s", 3601.5), ("2d", 172_800.0),
        ("", None), ("soon", None), ("-5s", None), ("5", None), (5, None), (None, None),
    ],
)  # fmt: skip
def test_a_span_is_read(text: object, seconds: float | None) -> None:
    assert parse_span_s(text) == (None if seconds is None else pytest.approx(seconds))
