"""Requests without the right: each is refused and recorded, and nothing changes."""

import contextlib
import http.client
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reknit.interfaces.web.access import LocalAccess
from reknit.store.runs.pages import DashboardLedger
from tests.interfaces.web.visiting import AT_WORK, BLOCKED, Answer, Person, Visited, visited


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Visited]:
    with visited(tmp_path) as made:
        yield made


def log_in(place: Visited) -> Person:
    assert isinstance(place.access, LocalAccess)
    person = place.meet()
    assert person.get(f"/enter?token={place.access.token}").status == 303
    return person


def without_cookie(person: Person, token: str) -> Answer:
    person.cookie = ""
    return person.post(f"/runs/{AT_WORK}/stop", token)


def with_foreign_cookie(person: Person, token: str) -> Answer:
    person.cookie = "x" * 43
    return person.post(f"/runs/{AT_WORK}/stop", token)


def with_host(name: str) -> Callable[[Person, str], Answer]:
    def ask(person: Person, token: str) -> Answer:
        person.host = name
        return person.post(f"/runs/{AT_WORK}/stop", token)

    return ask


def with_headers(**headers: str) -> Callable[[Person, str], Answer]:
    """Without an origin, unless it is one of these headers."""

    def ask(person: Person, token: str) -> Answer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return person.ask("POST", f"/runs/{AT_WORK}/stop", f"form_token={token}", **named)

    return ask


def with_token(made: Callable[[str], str]) -> Callable[[Person, str], Answer]:
    return lambda person, token: person.post(f"/runs/{AT_WORK}/stop", made(token))


REQUESTS: list[tuple[str, Callable[[Person, str], Answer], int, str]] = [
    ("no cookie", without_cookie, 401, "not logged in"),
    ("a cookie of nobody", with_foreign_cookie, 401, "not logged in"),
    ("a foreign name for this address", with_host("evil.example"), 421, "another host name"),
    ("this address at another port", with_host("127.0.0.1:1"), 421, "another host name"),
    ("a foreign name that begins like ours", with_host("127.0.0.1.evil.example"), 421, "another host name"),
    ("a form on a foreign page", with_headers(Origin="http://evil.example"), 403, "sent by another page"),
    ("a form in a sandboxed frame", with_headers(Origin="null"), 403, "sent by another page"),
    ("a form on another port", with_headers(Origin="http://127.0.0.1:1"), 403, "sent by another page"),
    ("a form over TLS", with_headers(Origin="https://127.0.0.1"), 403, "sent by another page"),
    ("no word about its page", with_headers(), 403, "sent by another page"),
    ("a neighbouring page", with_headers(Sec_Fetch_Site="same-site"), 403, "sent by another page"),
    ("a foreign site", with_headers(Sec_Fetch_Site="cross-site"), 403, "sent by another page"),
    ("an address that was typed", with_headers(Sec_Fetch_Site="none"), 403, "sent by another page"),
    ("no token", with_token(lambda _: ""), 403, "without the token of the form"),
    ("a wrong token", with_token(lambda _: "x" * 43), 403, "without the token of the form"),
    ("half a token", with_token(lambda token: token[:20]), 403, "without the token of the form"),
]


@pytest.mark.parametrize(("ask", "status", "reason"), [pytest.param(*row[1:], id=row[0]) for row in REQUESTS])
def test_a_request_without_the_right_is_refused_and_recorded(
    place: Visited, ask: Callable[[Person, str], Answer], status: int, reason: str
) -> None:
    person = log_in(place)
    answer = ask(person, person.read_form_token())
    assert answer.status == status
    assert [(entry.action, entry.target, entry.reason) for entry in place.list_refusals()] == [
        ("stop", AT_WORK, reason)
    ]
    assert place.list_accepted() == [("local", "enter", "")]
    assert place.dashboard.find_run(AT_WORK).state == "running"  # type: ignore[union-attr]


def test_control_the_same_request_with_the_right_is_accepted(place: Visited) -> None:
    person = log_in(place)
    assert person.post(f"/runs/{AT_WORK}/stop", person.read_form_token()).status == 303
    assert place.list_accepted() == [("local", "enter", ""), ("local", "stop", AT_WORK)]
    assert place.dashboard.find_run(AT_WORK).state == "interrupted"  # type: ignore[union-attr]


@pytest.mark.parametrize("path", ["/", "/inbox", "/fixes", "/spend", "/runs", "/audit", "/live", f"/runs/{AT_WORK}"])
def test_every_page_needs_a_login(place: Visited, path: str) -> None:
    answer = place.meet().get(path)
    assert (answer.status, AT_WORK in answer.text) == (401, False)
    assert [entry.reason for entry in place.list_refusals()] == ["not logged in"]


@pytest.mark.parametrize("path", ["/", "/enter?token=x", "/login"])
def test_no_page_answers_to_a_foreign_host_name(place: Visited, path: str) -> None:
    """A foreign name may be led to this address, and its page would then read ours."""
    person = log_in(place)
    person.host = "evil.example"
    assert person.get(path).status == 421


@pytest.mark.parametrize("action", ["stop", "resume", "settle"])
def test_a_link_changes_nothing(place: Visited, action: str) -> None:
    assert log_in(place).get(f"/runs/{AT_WORK}/{action}").status == 405


@pytest.mark.parametrize("path", ["/runs/r-ffffffff", "/runs/r-0000000", "/runs/..etc", f"/runs/{'r' * 300}"])
def test_a_run_that_does_not_exist(place: Visited, path: str) -> None:
    person = log_in(place)
    assert person.get(path).status == 404
    assert person.post(f"{path}/stop", person.read_form_token()).status == 403


def test_a_large_form_is_not_read(place: Visited) -> None:
    person = log_in(place)
    assert person.ask("POST", f"/runs/{AT_WORK}/stop", "x" * 5000, Origin=person.origin).status == 413


def test_what_cannot_be_done_any_more_is_said(place: Visited) -> None:
    person = log_in(place)
    answer = person.post(f"/runs/{BLOCKED}/stop", person.read_form_token())
    assert (answer.status, "has already ended" in answer.text) == (409, True)


def test_a_page_may_load_nothing_foreign_and_be_shown_in_no_frame(place: Visited) -> None:
    person = log_in(place)
    for answer in (person.get("/"), person.get("/runs/r-ffffffff"), place.meet().get("/")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["cache-control"] == "no-store"


def test_refusals_do_not_fill_the_database(place: Visited) -> None:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", place.server.port)) as wire:
        for _ in range(310):
            wire.request("GET", "/", headers={"Host": "evil.example"})
            wire.getresponse().read()
    assert len(DashboardLedger(place.ledger.engine).list_entries(1000)) == 300
