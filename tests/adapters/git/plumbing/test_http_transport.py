"""What git is sent with to a forge, what it never gives away, and how a refusal is told."""

import time
from pathlib import Path
from threading import Event

import pytest

from reknit.adapters.git.plumbing import http_transport
from reknit.core.errors import InternalError, UsageProblem
from reknit.core.forge.values import ForgeError, ForgeFailure, Remote
from tests.adapters.git.forge_scene import BRANCH, HEADER, TOKEN, ForgeScene
from tests.adapters.git.git_server import Request, git_server

SECRETS = (TOKEN, HEADER, HEADER.split(" ")[1])


def failure(forge: ForgeScene, remote: Remote | None = None) -> ForgeFailure:
    with pytest.raises(ForgeError) as hindered:
        forge.trusted.fetch_from(remote or forge.remote, [BRANCH])
    assert not any(secret in str(hindered.value) for secret in SECRETS)
    return hindered.value.failure


def test_the_credential_is_in_no_argument_list_and_on_no_disk(forge: ForgeScene) -> None:
    lists: list[str] = []

    def look_at_processes(request: Request) -> None:
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = entry.read_bytes().decode("utf-8", "replace")
            except OSError:
                continue
            if forge.server.url in words:
                lists.append(words)

    forge.server.before = look_at_processes
    base = forge.fetched()
    fix = forge.fix(base)
    assert forge.trusted.push_to(forge.remote, fix, "topic", expect=base).word == "done"
    assert {"ls-remote", "fetch", "push"} <= {word for words in lists for word in words.split("\0")}
    assert {request.authorization for request in forge.server.requests} == {HEADER}
    kept = [path.read_bytes() for path in Path(forge.trusted.gitdir).rglob("*") if path.is_file()]
    for secret in SECRETS:
        assert not any(secret in words for words in lists)
        assert not any(secret.encode() in content for content in kept)
    assert TOKEN not in repr(forge.remote) and HEADER not in repr(forge.remote)


def test_a_server_that_repeats_the_credential_is_not_quoted(forge: ForgeScene) -> None:
    echo = f"Bad credential {TOKEN}\nsent as {HEADER}"
    forge.server.before = lambda request: (403, echo, "")
    assert failure(forge) == ForgeFailure("forbidden", "Bad credential [redacted] sent as [redacted]")
    answer = forge.trusted.push_to(forge.remote, forge.fix(_brought(forge)), "topic", expect=_brought(forge))
    assert (answer.word, answer.detail) == ("forbidden", "Bad credential [redacted] sent as [redacted]")


def test_a_bearer_token_and_no_credential_at_all(forge: ForgeScene) -> None:
    bearer = Remote(forge.remote.url, f"Bearer {TOKEN}")
    forge.trusted.fetch_from(bearer, [BRANCH])
    forge.trusted.fetch_from(Remote(forge.remote.url), [BRANCH])
    assert {request.authorization for request in forge.server.requests} == {f"Bearer {TOKEN}", ""}
    forge.server.before = lambda request: (403, f"no {TOKEN}", "")
    assert failure(forge, bearer).detail == "no [redacted]"


@pytest.mark.parametrize(
    ("status", "kind"),
    [(403, "forbidden"), (404, "missing"), (410, "missing"), (429, "limited"), (500, "unreachable")],
)
def test_a_refusal_is_told_by_its_kind(forge: ForgeScene, status: int, kind: str) -> None:
    forge.server.before = lambda request: (status, "The server's own words.\n", "")
    told = failure(forge)
    assert (told.kind, told.detail) == (kind, "The server's own words.")


def test_a_credential_that_is_refused_or_missing(forge: ForgeScene) -> None:
    forge.server.before = lambda request: (401, "who are you?", "")
    assert failure(forge) == ForgeFailure("login", "it rejects the credential")
    assert failure(forge, Remote(forge.remote.url)) == ForgeFailure("login", "it needs a credential")


def test_a_repository_that_is_not_there(forge: ForgeScene) -> None:
    assert failure(forge, Remote(f"{forge.server.url}/gone.git", HEADER)).kind == "missing"


def test_nobody_is_followed_elsewhere(forge: ForgeScene, tmp_path: Path) -> None:
    with git_server(forge.server.folder) as other:
        forge.server.before = lambda request: (302, "", f"{other.url}/shop.git/info/refs?service=git-upload-pack")
        told = failure(forge)
        assert other.requests == []
    assert told.kind == "missing" and "does not follow" in told.detail


def test_nobody_answers(forge: ForgeScene, tmp_path: Path) -> None:
    with git_server(tmp_path) as gone:
        pass
    told = failure(forge, Remote(f"{gone.url}/shop.git", HEADER))
    assert told.kind == "unreachable" and "Failed to connect" in told.detail


@pytest.mark.parametrize("bound", ["SILENCE_S", "LOOK_S"])
def test_a_server_that_says_nothing_is_given_up(forge: ForgeScene, monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    monkeypatch.setattr(http_transport, bound, 1)
    over = Event()

    def say_nothing(request: Request) -> None:
        over.wait(60)

    forge.server.before = say_nothing
    started = time.monotonic()
    told = failure(forge)
    over.set()
    assert told.kind == "unreachable"
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("url", ["http://git.acme.test/a/b.git", "https://dev:s3cret@git.acme.test/a/b.git", "/srv/x"])
def test_an_unsafe_address_is_never_asked(forge: ForgeScene, url: str) -> None:
    base = forge.fetched()
    with pytest.raises(UsageProblem, match="is not a safe git remote") as no_fetch:
        forge.trusted.fetch_from(Remote(url, HEADER), [BRANCH])
    with pytest.raises(UsageProblem, match="is not a safe git remote") as no_push:
        forge.trusted.push_to(Remote(url, HEADER), forge.fix(base), "topic", expect=base)
    assert "s3cret" not in f"{no_fetch.value} {no_push.value}"


def test_a_header_cannot_bring_another_one(forge: ForgeScene) -> None:
    with pytest.raises(InternalError) as refused:
        forge.trusted.fetch_from(Remote(forge.remote.url, f"{HEADER}\r\nX-Other: 1"), [BRANCH])
    assert not any(secret in str(refused.value) for secret in SECRETS)


@pytest.mark.parametrize("ref", ["topic", "HEAD", "refs/heads/a b", "refs/heads/*", "--upload-pack=x"])
def test_only_full_ref_names_are_asked_for(forge: ForgeScene, ref: str) -> None:
    with pytest.raises(InternalError, match="not a full ref name"):
        forge.trusted.fetch_from(forge.remote, [ref])


def test_the_users_way_out_is_used_for_https_and_nothing_else_of_the_environment(
    forge: ForgeScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTPS_PROXY", "all_proxy"):
        monkeypatch.setenv(name, forge.server.url)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "http.extraHeader")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "X-From-The-User: 1")
    assert forge.fetched() == forge.tip()
    forge.server.before = lambda request: (403, "", "")
    assert failure(forge, Remote("https://git.acme.test/a/b.git", HEADER)).kind == "unreachable"
    assert forge.server.requests[-1] == Request("CONNECT git.acme.test:443", "")


def _brought(forge: ForgeScene) -> str:
    """The branch's tip, here without asking the forge."""
    forge.trusted.fetch(str(forge.person), forge.tip())
    return forge.tip()
