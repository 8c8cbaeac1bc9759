"""Pull requests, rights and demands as GitHub tells them."""

import base64

import pytest

from reknit.adapters.github.forge import GitHubForge, open_forge
from reknit.core.errors import LoginNeededError
from reknit.core.forge.values import ForgeError, ForgePlace, Pull
from reknit.ports.forge import Forge
from tests.adapters.github.conftest import SLUG, Opened
from tests.tools.github import GitHub


def test_it_is_a_forge(forge: GitHubForge) -> None:
    made: Forge = forge

    assert made.account == forge.account


def test_a_pull_request(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.label(SLUG, pull.number, "ready")

    assert forge.pull(pull.number) == Pull(
        number=pull.number,
        url=f"{hub.url}/{SLUG}/pull/{pull.number}",
        title="a feature",
        state="open",
        author="dev",
        association="MEMBER",
        head_ref="feat",
        head_sha=pull.sha,
        head_slug=SLUG,
        head_url=f"{hub.url}/{SLUG}.git",
        base_ref="main",
        base_sha=hub.head(SLUG, "main"),
        base_url=f"{hub.url}/{SLUG}.git",
        mergeable=True,
        labels=("ready",),
        draft=False,
    )


def test_whether_it_merges_is_not_known_at_first(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.faults.mergeable_unknown = 1

    assert [forge.pull(pull.number).mergeable for _ in range(2)] == [None, True]


def test_closed_merged_and_draft(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.commit(SLUG, "two", {"b.py": ""}, message="two")
    second = hub.open_pull(SLUG, head="two", draft=True)
    assert forge.pull(second).draft

    hub.merge(SLUG, second)
    hub.close_pull(SLUG, pull.number)

    assert (forge.pull(second).state, forge.pull(pull.number).state) == ("merged", "closed")


def test_a_fork_and_then_no_fork(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    fork = hub.fork(SLUG, "eve")
    hub.commit(fork, "theirs", {"c.py": ""}, message="theirs", author="eve")
    number = hub.open_pull(SLUG, head="theirs", head_slug=fork, author="eve", association="CONTRIBUTOR")

    found = forge.pull(number)
    assert (found.head_slug, found.head_url, found.association) == (fork, f"{hub.url}/{fork}.git", "CONTRIBUTOR")

    hub.delete_repository(fork)
    gone = forge.pull(number)
    assert (gone.head_slug, gone.head_url, gone.head_ref, gone.author) == ("", "", "theirs", "eve")


def test_pull_requests_of_a_branch(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    fork = hub.fork(SLUG, "eve")
    hub.commit(fork, "feat", {"c.py": ""}, message="theirs", author="eve")
    theirs = hub.open_pull(SLUG, head="feat", head_slug=fork, author="eve")
    hub.commit(SLUG, "other", {"d.py": ""}, message="other")
    closed = hub.open_pull(SLUG, head="other")
    hub.close_pull(SLUG, closed)

    assert {found.number for found in forge.pulls_of("feat")} == {pull.number, theirs}
    assert forge.pulls_of("other") == ()
    assert forge.pulls_of("main") == ()


def test_what_a_branch_demands(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    assert forge.required("main") == ()
    hub.require(SLUG, "main", ["unit", "lint"])
    hub.require(SLUG, "main", ["lint", "docs"], ruleset=True)

    assert forge.required("main") == ("unit", "lint", "docs")
    assert forge.required("nowhere") == ()


def test_a_branch_with_an_odd_name(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.commit(SLUG, "release/1#2%41", {"b.py": ""}, message="r")
    hub.require(SLUG, "release/1#2%41", ["unit"])

    assert forge.required("release/1#2%41") == ("unit",)


def test_what_it_may_not_know_is_not_demanded_but_a_bad_moment_is_told(
    hub: GitHub, forge: GitHubForge, pull: Opened
) -> None:
    hub.faults.server_error = 1

    with pytest.raises(ForgeError):
        forge.required("main")


def test_who_may_push(hub: GitHub, forge: GitHubForge, app: GitHubForge, pull: Opened) -> None:
    fork = hub.fork(SLUG, "eve")

    assert (forge.may_push(SLUG), forge.may_push(fork)) == (True, False)
    assert (app.may_push(SLUG), app.may_push(fork)) == (True, False)
    with open_forge(ForgePlace("github", hub.url, SLUG), {"GH_TOKEN": hub.give_token("ann")}) as stranger:
        assert not stranger.may_push(SLUG)


def test_the_header_for_git(hub: GitHub, forge: GitHubForge, app: GitHubForge) -> None:
    kind, _, value = forge.credential().partition(" ")
    assert (kind, base64.b64decode(value).decode()) == ("Basic", f"x-access-token:{hub.token}")

    value = app.credential().removeprefix("Basic ")
    assert base64.b64decode(value).decode() == "x-access-token:ghs_reknit1"


def test_without_a_login_it_does_not_open() -> None:
    with pytest.raises(LoginNeededError):
        open_forge(ForgePlace("github", "https://api.github.com", SLUG), {"PATH": "/nonexistent"})


def test_pull_requests_with_a_commit(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    (found,) = forge.pulls_with(pull.sha)
    assert (found.number, found.state, found.head_sha, found.mergeable) == (pull.number, "open", pull.sha, None)
    assert found.url == f"{hub.url}/{SLUG}/pull/{pull.number}"

    hub.commit(SLUG, "feat", {"b.py": ""}, message="more")
    assert [found.number for found in forge.pulls_with(pull.sha)] == [pull.number], "not only the last commit"
    assert forge.pulls_with(hub.head(SLUG, "main")) == ()


@pytest.mark.parametrize("how", ["merge", "squash", "rebase"])
def test_a_commit_that_was_merged(hub: GitHub, forge: GitHubForge, pull: Opened, how: str) -> None:
    hub.land(SLUG, "main")
    assert [found.state for found in forge.pulls_with(pull.sha)] == ["open"]

    made = hub.merge(SLUG, pull.number, how)
    hub.delete_branch(SLUG, "feat")

    for commit in (pull.sha, made):
        assert [(found.number, found.state) for found in forge.pulls_with(commit)] == [(pull.number, "merged")]


def test_a_commit_of_a_fork_that_is_gone(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    fork = hub.fork(SLUG, "eve")
    sha = hub.commit(fork, "theirs", {"c.py": ""}, message="theirs", author="eve")
    number = hub.open_pull(SLUG, head="theirs", head_slug=fork, author="eve")
    hub.merge(SLUG, number, "squash")
    hub.delete_repository(fork)

    assert [(found.number, found.state, found.head_slug) for found in forge.pulls_with(sha)] == [(number, "merged", "")]


def test_a_commit_that_is_not_there_has_none(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    assert [forge.pulls_with(commit) for commit in ("f" * 40, "no?such")] == [(), ()]
    assert forge.pulls_with("no/such") == ()
    assert "not served here" in hub.violations.pop(), "which is a 404"


def test_what_a_repository_is_a_fork_of(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    fork = hub.fork(SLUG, "eve")
    above = hub.fork(fork, "mia")
    assert [forge.lineage(slug) for slug in (SLUG, fork, above)] == [(SLUG,), (fork, SLUG), (above, fork, SLUG)]
    with pytest.raises(ForgeError) as raised:
        forge.lineage("dev/gone")
    assert raised.value.failure.kind == "missing"


def test_a_repository_that_is_not_there_is_told(hub: GitHub, pull: Opened) -> None:
    gone = ForgePlace("github", hub.url, "dev/gone")
    with open_forge(gone, {"GH_TOKEN": hub.token}) as forge, pytest.raises(ForgeError) as raised:
        forge.pulls_with(pull.sha)
    assert raised.value.failure.kind == "missing"


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        pytest.param("secondary_limit", "limited", id="a-limit"),
        pytest.param("primary_limit", "limited", id="another-limit"),
        pytest.param("server_error", "unreachable", id="a-server-error"),
        pytest.param("dropped", "unreachable", id="a-dropped-connection"),
        pytest.param("revoked", "login", id="a-revoked-token"),
    ],
)
def test_a_bad_moment_is_never_no_pull_request(
    hub: GitHub, forge: GitHubForge, pull: Opened, fault: str, kind: str
) -> None:
    hub.faults.switch(fault)

    with pytest.raises(ForgeError) as raised:
        forge.pulls_with(pull.sha)
    assert raised.value.failure.kind == kind
    hub.faults.lift()
    assert len(forge.pulls_with(pull.sha)) == 1
