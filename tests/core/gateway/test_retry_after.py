"""When a provider takes requests again, by its headers."""

import pytest

from reknit.core.gateway.retry_after import named_time, span_s

NOW = 1_700_000_000.0
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
    assert named_time(headers, now=NOW) == until


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("34.07s", 34.07), ("20ms", 0.02), ("1h0m1.5s", 3601.5), ("2d", 172_800.0),
        ("", None), ("soon", None), ("-5s", None), ("5", None), (5, None), (None, None),
    ],
)  # fmt: skip
def test_a_span_is_read(text: object, seconds: float | None) -> None:
    assert span_s(text) == (None if seconds is None else pytest.approx(seconds))
