"""Every kind of refusal in the words of `ForgeFailure`."""

import httpx
import pytest

from reknit.adapters.github.api.failures import read_failure, read_graphql_failure
from reknit.core.forge.values import ForgeFailure

NOW = 1_000_000.0


@pytest.mark.parametrize(
    ("status", "headers", "message", "kind", "until"),
    [
        pytest.param(403, {"Retry-After": "7"}, "secondary", "limited", NOW + 7, id="secondary-limit"),
        pytest.param(429, {"Retry-After": "7"}, "", "limited", NOW + 7, id="429-with-a-time"),
        pytest.param(429, {}, "", "limited", NOW + 60, id="429-without-a-time"),
        pytest.param(
            403,
            {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1000090"},
            "API rate limit exceeded",
            "limited",
            1_000_090.0,
            id="primary-limit",
        ),
        pytest.param(
            403,
            {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "5"},
            "",
            "limited",
            NOW,
            id="a-reset-that-is-over-is-now",
        ),
        pytest.param(403, {"x-ratelimit-remaining": "0"}, "", "limited", NOW + 60, id="primary-limit-without-a-time"),
        pytest.param(
            403, {"Retry-After": "Mon, 12 Jan 1970 13:47:20 GMT"}, "", "limited", 1_000_040.0, id="a-date-as-time"
        ),
        pytest.param(403, {}, "You have exceeded a secondary rate limit.", "limited", NOW + 60, id="limit-in-words"),
        pytest.param(
            403,
            {"x-ratelimit-remaining": "4999", "x-ratelimit-reset": "1000090"},
            "Resource not accessible by integration",
            "forbidden",
            None,
            id="no-permission",
        ),
        pytest.param(401, {}, "Bad credentials", "login", None, id="revoked"),
        pytest.param(404, {}, "Not Found", "missing", None, id="not-there"),
        pytest.param(410, {}, "Gone", "missing", None, id="gone"),
        pytest.param(422, {}, "Validation Failed", "forbidden", None, id="refused-as-it-is"),
        pytest.param(502, {}, "Server Error", "unreachable", None, id="server-error"),
        pytest.param(503, {"Retry-After": "9"}, "", "unreachable", NOW + 9, id="down-until-a-time"),
        pytest.param(408, {}, "", "unreachable", None, id="request-timed-out"),
        pytest.param(404, {"Retry-After": "9"}, "rate limit", "missing", None, id="a-404-is-never-a-limit"),
    ],
)
def test_of_answer(status: int, headers: dict[str, str], message: str, kind: str, until: float | None) -> None:
    body = httpx.Response(status, json={"message": message}).text

    found = read_failure(status, httpx.Headers(headers), body, request="GET /x", now=NOW)

    assert (found.kind, found.until) == (kind, until)
    assert found.detail == f"GET /x: {status} {message}"


@pytest.mark.parametrize("body", ["<html>proxy</html>", "[1]", "null", ""])
def test_a_body_that_is_not_githubs_is_not_shown(body: str) -> None:
    assert read_failure(502, {}, body, request="GET /x", now=NOW) == ForgeFailure("unreachable", "GET /x: 502 ")


def test_a_token_in_a_message_is_not_shown() -> None:
    token = "ghp_" + "a1" * 20

    found = read_failure(401, {}, f'{{"message": "bad {token}"}}', request="GET /x", now=NOW)

    assert token not in found.detail


@pytest.mark.parametrize(
    ("types", "kind"),
    [
        (["RATE_LIMITED"], "limited"),
        (["RATE_LIMIT", "NOT_FOUND"], "limited"),
        (["NOT_FOUND"], "missing"),
        (["FORBIDDEN"], "forbidden"),
        (["INSUFFICIENT_SCOPES"], "forbidden"),
        (["UNPROCESSABLE"], "forbidden"),
        ([""], "unreachable"),
        (["SERVICE_UNAVAILABLE"], "unreachable"),
    ],
)
def test_of_graphql(types: list[str], kind: str) -> None:
    found = read_graphql_failure([(each, "why") for each in types], {}, request="graphql", now=NOW)

    assert found.kind == kind
    assert found.until == (NOW + 60 if kind == "limited" else None)
    assert "why" in found.detail
