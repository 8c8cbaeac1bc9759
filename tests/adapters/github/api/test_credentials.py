"""Where the login comes from, and that it goes to no host it was not meant for."""

import os
import sys
from pathlib import Path

import pytest

from reknit.adapters.github.api.credentials import AppInstallation, UserToken, find_credentials, parse_host
from reknit.core.errors import LoginNeededError, UsageError

GITHUB = "https://api.github.com"
ELSEWHERE = "https://git.example.org/api/v3"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n"
APP = {"REKNIT_GITHUB_APP_ID": "12", "REKNIT_GITHUB_APP_KEY": PEM, "REKNIT_GITHUB_INSTALLATION": "34"}
NO_GH = {"PATH": "/nonexistent"}


@pytest.fixture
def gh(tmp_path: Path) -> dict[str, str]:
    """A `gh` that writes down how it was called, and is logged in to github.com alone."""
    script = tmp_path / "bin" / "gh"
    script.parent.mkdir()
    script.write_text(
        f'#!/bin/sh\necho "$@" > {tmp_path}/argv\n/usr/bin/env > {tmp_path}/env\n'
        '[ "$4" = github.com ] || { echo "no oauth token" >&2; exit 1; }\necho gho_fromgh\n'
    )
    script.chmod(0o755)
    return {"PATH": str(script.parent), "HOME": str(tmp_path), "SECRET": "s"}


@pytest.mark.parametrize(
    ("api", "environment", "token"),
    [
        pytest.param(GITHUB, {"GH_TOKEN": "one", "GITHUB_TOKEN": "two"}, "one", id="gh-token-first"),
        pytest.param(GITHUB, {"GH_TOKEN": "", "GITHUB_TOKEN": " two\n"}, "two", id="github-token"),
        pytest.param("https://api.acme.ghe.com", {"GH_TOKEN": "one"}, "one", id="a-tenant-of-github"),
        pytest.param("http://127.0.0.1:81", {"GH_TOKEN": "one"}, "one", id="this-machine"),
        pytest.param(ELSEWHERE, {"GH_TOKEN": "one", "GH_ENTERPRISE_TOKEN": "e"}, "e", id="an-enterprise-has-its-own"),
        pytest.param(ELSEWHERE, {"GH_TOKEN": "one", "GH_HOST": "git.example.org"}, "one", id="a-host-the-user-named"),
    ],
)
def test_a_token_of_the_environment(api: str, environment: dict[str, str], token: str) -> None:
    assert find_credentials(api, {**NO_GH, **environment}) == UserToken(token)


def test_no_token_of_github_goes_to_another_host() -> None:
    environment = {**NO_GH, **APP, "GH_TOKEN": "one", "GITHUB_TOKEN": "two"}

    with pytest.raises(LoginNeededError) as raised:
        find_credentials(ELSEWHERE, environment)

    assert raised.value.help == "run `gh auth login --hostname git.example.org`, or set GH_ENTERPRISE_TOKEN"


def test_a_named_variable_wins_over_the_usual_ones() -> None:
    environment = {**NO_GH, "GH_TOKEN": "one", "BOT": "three"}

    assert find_credentials(GITHUB, environment, token_variable="BOT") == UserToken("three")
    with pytest.raises(LoginNeededError, match="OTHER is not set"):
        find_credentials(GITHUB, environment, token_variable="OTHER")


def test_gh_is_asked_last_and_with_a_small_environment(gh: dict[str, str], tmp_path: Path) -> None:
    assert find_credentials(GITHUB, gh) == UserToken("gho_fromgh")

    assert (tmp_path / "argv").read_text() == "auth token --hostname github.com\n"
    seen = dict(line.split("=", 1) for line in (tmp_path / "env").read_text().splitlines())
    assert {name for name in seen if name not in ("PWD", "SHLVL", "_", "OLDPWD")} == {
        "PATH",
        "HOME",
        "GH_PROMPT_DISABLED",
    }


def test_no_login_names_the_command(gh: dict[str, str]) -> None:
    for environment in (NO_GH, {**gh, "GH_HOST": "x"}):
        with pytest.raises(LoginNeededError) as raised:
            find_credentials("https://api.acme.ghe.com", environment)
        assert "gh auth login --hostname acme.ghe.com" in raised.value.help


def test_the_real_gh_gives_its_token(tmp_path: Path) -> None:
    (tmp_path / "gh").mkdir()
    (tmp_path / "gh" / "hosts.yml").write_text("github.com:\n    user: dev\n    oauth_token: gho_real\n")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}

    assert find_credentials(GITHUB, environment) == UserToken("gho_real")


def test_an_app_wins_over_everything(tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    file.write_text(PEM)
    environment = {**APP, "GH_TOKEN": "one"}

    for given in (PEM, PEM.replace("\n", "\\n"), str(file)):
        found = find_credentials(GITHUB, {**environment, "REKNIT_GITHUB_APP_KEY": given}, token_variable="GH_TOKEN")
        assert isinstance(found, AppInstallation)
        assert (found.app_id, found.key.strip(), found.installation) == ("12", PEM.strip(), 34)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"REKNIT_GITHUB_APP_ID": ""}, "REKNIT_GITHUB_APP_ID is not set"),
        ({"REKNIT_GITHUB_INSTALLATION": "app"}, "REKNIT_GITHUB_INSTALLATION is not a number"),
        ({"REKNIT_GITHUB_APP_KEY": "MIIEowIBAAKC"}, "neither a private key nor a file"),
        ({"REKNIT_GITHUB_APP_KEY": "x" * 5000}, "neither a private key nor a file"),
    ],
)
def test_half_an_app_is_told(change: dict[str, str], what: str) -> None:
    with pytest.raises(LoginNeededError, match=what) as raised:
        find_credentials(GITHUB, {**APP, **change})

    assert "MIIE" not in raised.value.message + raised.value.help


def test_no_secret_is_shown() -> None:
    assert repr(UserToken("ghp_x")) == "UserToken()"
    assert "abc" not in repr(AppInstallation("12", PEM, 34))


@pytest.mark.parametrize("api", ["http://api.github.com", "ftp://x", "x", ""])
def test_a_token_goes_over_https_alone(api: str) -> None:
    with pytest.raises(UsageError):
        find_credentials(api, {"GH_TOKEN": "one"})


def test_hosts_as_people_name_them() -> None:
    assert parse_host(GITHUB) == "github.com"
    assert parse_host("https://api.acme.ghe.com") == "acme.ghe.com"
    assert parse_host("https://api.example.org/api/v3") == "api.example.org"


def test_an_app_needs_its_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jwt", None)
    with pytest.raises(LoginNeededError, match="packages that are not installed") as problem:
        find_credentials(GITHUB, APP)
    assert problem.value.help == "`pip install 'reknit[app]'`"
