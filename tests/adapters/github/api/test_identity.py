"""A person's token, and an App's token that is fetched, kept, renewed and never shown."""

from collections.abc import Callable
from pathlib import Path

import pytest

from reknit.adapters.github.api.credentials import AppInstallation, UserToken
from reknit.adapters.github.api.identity import make_identity
from reknit.adapters.github.forge import GitHubForge, open_forge
from reknit.core.forge.values import Actor, ForgeError, ForgePlace
from tests.adapters.github.conftest import SLUG, Opened
from tests.tools.github import GitHub


def test_who_it_is(hub: GitHub, forge: GitHubForge, app: GitHubForge) -> None:
    assert forge.whoami() == forge.whoami() == Actor("dev", is_app=False)
    assert app.whoami() == Actor("reknit[bot]", is_app=True)
    assert len([call for call in hub.calls if call.path == "/graphql"]) == 2


def test_an_apps_token_is_fetched_once(hub: GitHub, app: GitHubForge, pull: Opened) -> None:
    for _ in range(5):
        app.pull(pull.number)

    assert hub.app.exchanges == 1


def test_a_token_about_to_end_is_renewed(hub: GitHub, app: GitHubForge, pull: Opened) -> None:
    hub.app.lifetime_s = 200
    app.pull(pull.number)
    hub.app.lifetime_s = 3600
    app.pull(pull.number)
    app.pull(pull.number)

    assert hub.app.exchanges == 2


def test_a_token_that_ended_early_is_renewed_at_once(hub: GitHub, app: GitHubForge, pull: Opened) -> None:
    app.pull(pull.number)
    hub.app.expire()
    app.comment(pull.number, "pull", "one")

    assert hub.app.exchanges == 2
    assert len(hub.comments(SLUG, pull.number)) == 1


def test_a_revoked_app_is_not_asked_for_ever(hub: GitHub, app: GitHubForge, pull: Opened) -> None:
    app.pull(pull.number)
    hub.app.lifetime_s = -10_000
    hub.app.expire()

    with pytest.raises(ForgeError) as raised:
        app.pull(pull.number)

    assert raised.value.failure.kind == "login"
    assert hub.app.exchanges == 2


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda given: given | {"REKNIT_GITHUB_APP_ID": "1"}, id="another-apps-id"),
        pytest.param(
            lambda given: given | {"REKNIT_GITHUB_APP_KEY": "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n"}, id="no-key"
        ),
    ],
)
def test_an_app_that_cannot_prove_itself(
    hub: GitHub, app_environment: dict[str, str], spoil: Callable[[dict[str, str]], dict[str, str]]
) -> None:
    place = ForgePlace("github", hub.url, SLUG)
    with open_forge(place, spoil(app_environment)) as forge, pytest.raises(ForgeError) as raised:
        forge.pull(1)

    assert raised.value.failure.kind == "login"
    assert "MII" not in str(raised.value)


@pytest.mark.parametrize("fault", ["server_error", "secondary_limit"])
def test_the_exchange_has_bad_moments_too(hub: GitHub, app: GitHubForge, pull: Opened, fault: str) -> None:
    setattr(hub.faults, fault, 1)
    with pytest.raises(ForgeError) as raised:
        app.pull(pull.number)
    assert raised.value.failure.kind == ("unreachable" if fault == "server_error" else "limited")

    assert app.pull(pull.number).number == pull.number


def test_accounts_tell_identities_apart_and_no_token() -> None:
    api, other = "https://api.github.com", "https://git.example.org"
    key = AppInstallation("1", "-----BEGIN", 815)
    accounts = [
        make_identity(api, UserToken("ghp_one")).account,
        make_identity(api, UserToken("ghp_two")).account,
        make_identity(other, UserToken("ghp_one")).account,
        make_identity(api, key).account,
    ]

    assert len(set(accounts)) == 4
    assert accounts[0] == make_identity(api, UserToken("ghp_one")).account
    assert accounts[3] == "github:github.com:installation-815"
    assert not any("ghp_" in account for account in accounts)


def test_no_token_in_what_is_shown(hub: GitHub, forge: GitHubForge, tmp_path: Path) -> None:
    with pytest.raises(ForgeError) as raised:
        forge.pull(1)

    shown = repr(raised.value) + str(raised.value) + repr(forge) + repr(vars(forge)) + forge.account
    assert hub.token not in shown
