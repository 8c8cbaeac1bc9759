"""The laptop's login: one address, for one browser, once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reknit.interfaces.web.access import LocalAccess
from tests.interfaces.web.visiting import Visited, visited


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Visited]:
    with visited(tmp_path) as made:
        yield made


def enter(place: Visited) -> str:
    assert isinstance(place.access, LocalAccess)
    return f"/enter?token={place.access.token}"


def test_the_address_becomes_a_cookie_that_scripts_and_other_sites_do_not_get(place: Visited) -> None:
    person = place.meet()
    answer = person.get(enter(place))
    assert (answer.status, answer.headers["location"]) == (303, "/")
    fields = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/"} <= fields
    assert person.get("/").status == 200
    assert place.list_accepted() == [("local", "enter", "")]


def test_the_address_works_once(place: Visited) -> None:
    assert place.meet().get(enter(place)).status == 303
    second = place.meet()
    assert second.get(enter(place)).status == 401
    assert second.get("/").status == 401
    assert [entry.reason for entry in place.list_refusals()] == ["a token that is wrong or was used", "not logged in"]


@pytest.mark.parametrize("query", ["", "?token=", "?token=x", "?token=%F0%9F%98%80"])
def test_a_wrong_token_is_refused_and_leaves_the_right_one_valid(place: Visited, query: str) -> None:
    person = place.meet()
    assert person.get(f"/enter{query}").status == 401
    assert person.cookie == ""
    assert person.get(enter(place)).status == 303


def test_nobody_begins_a_login_without_the_address(place: Visited) -> None:
    assert place.meet().get("/login").status == 404
