"""Who may do what over the web: the first reason to refuse wins."""

from dataclasses import replace
from typing import Any

import pytest

from reknit.core.dashboard.access import Request, has_permission, refuse_action, refuse_host
from reknit.core.dashboard.values import Action, Permission

HOSTS, ORIGINS = frozenset({"127.0.0.1:8412"}), frozenset({"http://127.0.0.1:8412"})
RIGHT = Request(
    host="127.0.0.1:8412", origin="http://127.0.0.1:8412", fetch_site="same-origin", is_logged_in=True,
    has_form_token=True, permission="write",
)  # fmt: skip


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param({}, "", id="everything is right"),
        pytest.param({"fetch_site": ""}, "", id="an origin alone is enough"),
        pytest.param({"origin": ""}, "", id="a browser that sends no origin says where the form was"),
        pytest.param({"host": "evil.example:8412"}, "another host name", id="a foreign name for this address"),
        pytest.param({"host": ""}, "another host name", id="no name"),
        pytest.param({"origin": "http://evil.example"}, "sent by another page", id="a foreign page"),
        pytest.param({"origin": "null"}, "sent by another page", id="a page without an origin"),
        pytest.param({"origin": "", "fetch_site": ""}, "sent by another page", id="nobody says where the form was"),
        pytest.param({"origin": "", "fetch_site": "same-site"}, "sent by another page", id="a neighbour"),
        pytest.param({"is_logged_in": False}, "not logged in", id="nobody"),
        pytest.param({"has_form_token": False}, "without the token of the form", id="no token"),
        pytest.param({"permission": "none"}, "no right to read the repository", id="a stranger"),
        pytest.param({"permission": "read"}, "no right to write to the repository", id="a reader"),
        pytest.param({"host": "x", "is_logged_in": False}, "another host name", id="the first reason wins"),
    ],
)
@pytest.mark.parametrize("action", ["stop", "resume", "settle"])
def test_a_change_needs_every_proof(action: Action, change: dict[str, Any], reason: str) -> None:
    assert refuse_action(replace(RIGHT, **change), action, ORIGINS, HOSTS) == reason


@pytest.mark.parametrize(
    ("permission", "actions"),
    [("none", {"enter"}), ("read", {"enter", "read"}), ("write", {"enter", "read", "stop", "resume", "settle"})],
)
def test_each_permission_includes_the_smaller_ones(permission: Permission, actions: set[str]) -> None:
    every: tuple[Action, ...] = ("enter", "read", "stop", "resume", "settle")
    assert {action for action in every if has_permission(permission, action)} == actions


def test_host_names_are_compared_in_small_letters() -> None:
    assert refuse_host("LOCALHOST:1", {"localhost:1"}) == ""
