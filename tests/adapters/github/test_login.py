"""The login of a person with GitHub, against the stand-in: codes, names and rights."""

import http.client
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from reknit.adapters.github.login import GitHubLogin
from reknit.core.forge.values import ForgeError
from tests.tools.github import GitHub
from tests.tools.github.oauth import CLIENT_ID, CLIENT_SECRET

CALLBACK = "https://reknit.example/enter"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as made:
        made.make_repository("acme/shop", {"a": "a"}, writers=("writer",), private=True)
        made.make_repository("acme/open", {"a": "a"}, writers=("writer",))
        yield made


def ask_for_code(hub: GitHub, login: GitHubLogin, person: str) -> str:
    hub.oauth.browser_of = person
    address = urlsplit(login.build_address("state", CALLBACK))
    connection = http.client.HTTPConnection(address.netloc)
    connection.request("GET", f"{address.path}?{address.query}")
    location = connection.getresponse().headers["location"]
    connection.close()
    return parse_qs(urlsplit(location).query)["code"][0]


def test_a_code_becomes_a_token_once_and_the_token_has_a_name(hub: GitHub) -> None:
    login = GitHubLogin(hub.url, CLIENT_ID, CLIENT_SECRET)
    code = ask_for_code(hub, login, "writer")
    token = login.exchange_code(code, CALLBACK)
    assert login.fetch_name(token) == "writer"
    with pytest.raises(ForgeError, match="no such code"):
        login.exchange_code(code, CALLBACK)


@pytest.mark.parametrize(("secret", "callback"), [("another", CALLBACK), (CLIENT_SECRET, "https://evil.example/enter")])
def test_a_code_is_worth_nothing_to_somebody_else(hub: GitHub, secret: str, callback: str) -> None:
    code = ask_for_code(hub, GitHubLogin(hub.url, CLIENT_ID, CLIENT_SECRET), "writer")
    with pytest.raises(ForgeError):
        GitHubLogin(hub.url, CLIENT_ID, secret).exchange_code(code, callback)


@pytest.mark.parametrize(
    ("person", "slug", "permission"),
    [
        ("writer", "acme/shop", "write"),
        ("acme", "acme/shop", "write"),
        ("stranger", "acme/shop", "none"),
        ("stranger", "acme/open", "read"),
        ("writer", "acme/gone", "none"),
    ],
)
def test_a_person_has_the_rights_that_the_forge_tells(hub: GitHub, person: str, slug: str, permission: str) -> None:
    login = GitHubLogin(hub.url, CLIENT_ID, CLIENT_SECRET)
    token = login.exchange_code(ask_for_code(hub, login, person), CALLBACK)
    assert login.fetch_permission(token, slug) == permission


def test_a_revoked_token_has_no_rights_and_an_outage_is_no_answer(hub: GitHub) -> None:
    login = GitHubLogin(hub.url, CLIENT_ID, CLIENT_SECRET)
    assert login.fetch_permission("ghp_unknown", "acme/shop") == "none"
    hub.faults.server_error = 1
    with pytest.raises(ForgeError):
        login.fetch_permission(hub.token, "acme/shop")


@pytest.mark.parametrize(
    ("api", "address"),
    [
        ("https://api.github.com", "https://github.com/login/oauth/authorize?"),
        ("https://ghe.example/api/v3", "https://ghe.example/login/oauth/authorize?"),
    ],
)
def test_people_log_in_at_the_host_of_the_forge(api: str, address: str) -> None:
    login = GitHubLogin(api, CLIENT_ID, CLIENT_SECRET)
    assert login.build_address("s", CALLBACK).startswith(address)
    assert CLIENT_SECRET not in login.build_address("s", CALLBACK)
    assert login.host == urlsplit(address).netloc
