"""Which repository on which forge the remotes of a clone mean, and what is said when a forge does not answer."""

from pathlib import Path
from typing import Any

import pytest

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import load
from reknit.app.pulls.remotes import forge_problem, list_forge_places, name_token_variable
from reknit.core.errors import LoginNeededError, ReknitError, UsageError
from reknit.core.forge.values import ForgeFailure, ForgePlace
from tests.adapters.git.users_git import git, repository

GITHUB = "https://api.github.com"
SHOP, FORK = "https://github.com/acme/shop.git", "git@github.com:dev/shop.git"


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def clone(folder: Path, remotes: dict[str, str], follows: str = "") -> UserRepository:
    """`follows`: the remote that the checked-out branch pushes to."""
    made = repository(folder, {"a.py": "x = 1\n"})
    for name, url in remotes.items():
        git(made, "remote", "add", name, url)
    if follows:
        git(made, "config", "branch.main.remote", follows)
        git(made, "config", "branch.main.merge", "refs/heads/main")
    return UserRepository.find(str(made))


def places(found: UserRepository, **forge: Any) -> list[ForgePlace]:
    return list_forge_places(found, load(None, {"forge": forge}, {}))


@pytest.mark.parametrize(
    ("url", "api", "slug"),
    [
        pytest.param(SHOP, GITHUB, "acme/shop", id="over https"),
        pytest.param(FORK, GITHUB, "dev/shop", id="over ssh, as git writes it"),
        pytest.param("ssh://git@ssh.github.com:443/acme/shop", GITHUB, "acme/shop", id="over ssh on the port of https"),
        pytest.param("https://x:secret@github.com/acme/shop", GITHUB, "acme/shop", id="without the password in it"),
        pytest.param(
            "https://git.corp.example/acme/shop.git", "https://git.corp.example/api/v3", "acme/shop", id="an enterprise"
        ),
        pytest.param(
            "ssh://git@git.corp.example:2222/acme/shop.git",
            "https://git.corp.example/api/v3",
            "acme/shop",
            id="an enterprise over ssh",
        ),
    ],
)
def test_one_remote(tmp_path: Path, url: str, api: str, slug: str) -> None:
    assert places(clone(tmp_path / "a", {"origin": url})) == [ForgePlace("github", api, slug)]


@pytest.mark.parametrize(
    ("remotes", "follows", "expected"),
    [
        pytest.param(
            {"origin": FORK, "upstream": SHOP}, "", ["acme/shop", "dev/shop"], id="the upstream of a fork first"
        ),
        pytest.param(
            {"origin": SHOP, "mine": FORK}, "mine", ["dev/shop", "acme/shop"], id="then what the branch follows"
        ),
        pytest.param(
            {"zoo": "https://github.com/zoo/shop", "origin": SHOP}, "", ["acme/shop", "zoo/shop"], id="then the origin"
        ),
        pytest.param({"zoo": SHOP}, "", ["acme/shop"], id="then any"),
        pytest.param({"origin": SHOP, "ssh": "git@github.com:acme/shop"}, "", ["acme/shop"], id="each once"),
        pytest.param({"origin": SHOP, "disk": "/srv/shop.git"}, "disk", ["acme/shop"], id="no folder on a disk"),
        pytest.param({"origin": SHOP}, FORK, ["dev/shop", "acme/shop"], id="a branch may follow an address"),
    ],
)
def test_the_likeliest_is_first(tmp_path: Path, remotes: dict[str, str], follows: str, expected: list[str]) -> None:
    assert [place.slug for place in places(clone(tmp_path / "a", remotes, follows))] == expected


def test_what_a_person_says_is_what_counts(tmp_path: Path) -> None:
    found = clone(tmp_path / "a", {"origin": FORK, "upstream": SHOP})
    assert [place.slug for place in places(found, remote="origin")] == ["dev/shop"]
    assert [place.slug for place in places(found, remote="https://github.com/zoo/shop")] == ["zoo/shop"]
    given = {"api": "http://127.0.0.1:1", "kind": "mine", "token_env": "SHOP_TOKEN"}
    assert places(found, remote="origin", **given) == [
        ForgePlace("mine", "http://127.0.0.1:1", "dev/shop", "SHOP_TOKEN")
    ]


@pytest.mark.parametrize(
    ("remotes", "remote"),
    [
        pytest.param({}, "", id="no remote"),
        pytest.param({"origin": "/srv/shop.git"}, "", id="none that is on a forge"),
        pytest.param({"origin": SHOP}, "orign", id="none of that name"),
    ],
)
def test_without_a_place_there_is_no_pull_request(tmp_path: Path, remotes: dict[str, str], remote: str) -> None:
    with pytest.raises(UsageError, match=r"^no remote of this repository is on a forge$") as caught:
        places(clone(tmp_path / "a", remotes), remote=remote)
    assert (caught.value.name, caught.value.exit_code) == ("no-forge", 2)
    assert "`forge.remote` names the right one" in caught.value.help


@pytest.mark.parametrize(
    ("url", "host"),
    [
        pytest.param("https://gitlab.com/acme/shop.git", "gitlab.com", id="gitlab"),
        pytest.param("git@gitlab.com:acme/group/shop.git", "gitlab.com", id="a group in a group"),
        pytest.param("git@bitbucket.org:acme/shop.git", "bitbucket.org", id="bitbucket"),
        pytest.param("https://gitlab.corp.example/acme/shop", "gitlab.corp.example", id="a company's"),
    ],
)
def test_other_forges_are_said_to_be_none_of_ours(tmp_path: Path, url: str, host: str) -> None:
    with pytest.raises(UsageError, match=f"on {host}, and only GitHub is supported"):
        places(clone(tmp_path / "a", {"origin": url}))


def test_a_mirror_elsewhere_is_passed_over(tmp_path: Path) -> None:
    found = clone(tmp_path / "a", {"origin": "https://gitlab.com/acme/shop", "hub": SHOP})
    assert [place.slug for place in places(found)] == ["acme/shop"]
    told = places(found, remote="origin", api="https://gitlab.com/api/v3")
    assert [place.api for place in told] == ["https://gitlab.com/api/v3"]


@pytest.mark.parametrize(
    ("api", "token_env", "help_"),
    [
        pytest.param(GITHUB, "", "`gh auth login --hostname github.com`, or set GH_TOKEN", id="github"),
        pytest.param("http://127.0.0.1:1", "", "`gh auth login --hostname 127.0.0.1`, or set GH_TOKEN", id="loopback"),
        pytest.param("https://git.corp.example/api/v3", "", "or set GH_ENTERPRISE_TOKEN", id="an enterprise"),
        pytest.param(GITHUB, "SHOP_TOKEN", "or set SHOP_TOKEN", id="a named one"),
    ],
)
def test_the_variable_that_would_be_taken_is_named(api: str, token_env: str, help_: str) -> None:
    where = ForgePlace("github", api, "a/b", token_env)
    assert forge_problem(ForgeFailure("login", "401"), where).help.endswith(help_)
    found = name_token_variable(LoginNeededError("forge-login", "no login", help="as it was"), where)
    assert found.help == "as it was" if token_env else found.help.endswith(help_)
    assert name_token_variable(LoginNeededError("app-login", "x", help="as it was"), where).help == "as it was"


@pytest.mark.parametrize(
    ("failure", "name", "code", "words"),
    [
        pytest.param(ForgeFailure("login", "401"), "login", 4, "https://h rejected the login: 401", id="a login"),
        pytest.param(
            ForgeFailure("missing", "404"), "no-repository", 2, "a/b is not accessible at https://h: 404", id="gone"
        ),
        pytest.param(
            ForgeFailure("forbidden", "403"), "no-repository", 2, "a/b is not accessible at https://h: 403", id="a wall"
        ),
        pytest.param(
            ForgeFailure("limited", "429"), "forge", 2, "https://h did not answer (limited): 429", id="a limit"
        ),
        pytest.param(
            ForgeFailure("unreachable", "502"), "forge", 2, "https://h did not answer (unreachable): 502", id="away"
        ),
    ],
)
def test_a_forge_that_does_not_answer(failure: ForgeFailure, name: str, code: int, words: str) -> None:
    problem: ReknitError = forge_problem(failure, ForgePlace("github", "https://h", "a/b"))
    assert (problem.name, problem.exit_code, problem.message) == (name, code, words)
    assert problem.help


def test_a_named_token_goes_only_where_it_was_meant_for(tmp_path: Path) -> None:
    elsewhere = clone(tmp_path / "a", {"origin": "https://git.example.org/acme/shop.git"})
    assert [place.token_env for place in places(elsewhere, token_env="SHOP_TOKEN")] == [""]
    assert [place.token_env for place in places(clone(tmp_path / "b", {"origin": SHOP}), token_env="SHOP_TOKEN")] == [
        "SHOP_TOKEN"
    ]
