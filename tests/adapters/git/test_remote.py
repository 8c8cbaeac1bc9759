"""Fetching from and pushing to a forge: real git, real HTTP, and everything that can come between."""

import os
import time
from pathlib import Path
from threading import Event
from typing import Literal

import pytest

from reknit.adapters.git import remote
from reknit.core.errors import InternalError, UsageError
from reknit.core.forge.values import ForgeError, ForgeFailure, PushAnswer, Remote
from tests.adapters.git.forge_scene import BRANCH, HEADER, TOKEN, ForgeScene
from tests.adapters.git.git_server import Answer, Request, git_server
from tests.adapters.git.users_git import git


def test_what_is_there_comes_with_its_history_and_stays(forge: ForgeScene, tmp_path: Path) -> None:
    first, second = forge.tip(), forge.push(**{"app.py": "two\n"})
    git(forge.bare, "update-ref", "refs/pull/7/head", first)
    got = forge.trusted.fetch_from(forge.remote, ["refs/pull/7/head", BRANCH, "refs/heads/gone"])
    assert got == {"refs/pull/7/head": first, BRANCH: second}
    assert {request.authorization for request in forge.server.requests} == {HEADER}
    gitdir = Path(forge.trusted.gitdir)
    git(gitdir, "--git-dir=.", "gc", "--quiet", "--prune=now")
    git(gitdir, "--git-dir=.", "fsck", "--strict")
    forge.trusted.write_tree_to(second, str(tmp_path / "tree"))
    assert (tmp_path / "tree" / "app.py").read_text() == "two\n"
    refs = git(gitdir, "--git-dir=.", "for-each-ref", "--format=%(refname)").split()
    assert sorted(refs) == sorted(f"refs/reknit/fetched/{sha}" for sha in (first, second))
    assert not (gitdir / "FETCH_HEAD").exists()


def test_a_name_is_not_taken_for_the_end_of_a_longer_one_and_tags_stay_away(forge: ForgeScene) -> None:
    git(forge.bare, "update-ref", f"refs/heads/{BRANCH}", forge.tip())
    git(forge.bare, "update-ref", f"refs/heads/a\u2028b/{BRANCH}", forge.tip())
    git(forge.bare, "tag", "v1", BRANCH)
    assert forge.trusted.fetch_from(forge.remote, ["refs/topic"]) == {}
    assert forge.trusted.fetch_from(forge.remote, [BRANCH]) == {BRANCH: forge.tip()}
    assert forge.trusted.resolve("refs/tags/v1") == ""
    assert forge.trusted.fetch_from(forge.remote, []) == {}


def test_only_what_is_new_is_carried_over(forge: ForgeScene) -> None:
    noise = os.urandom(200_000).hex()
    forge.push(noise=noise)
    forge.fetched()
    forge.push(**{"app.py": "small\n"})
    before = len(forge.server.requests)
    forge.fetched()
    assert sum(request.answer_bytes for request in forge.server.requests[before:]) < 10_000
    before = len(forge.server.requests)
    assert forge.fetched() == forge.tip()
    assert len(forge.server.requests) == before + 2, "one look and nothing else"


def test_a_brought_commit_needs_no_fetching_and_a_fetched_one_is_a_base(forge: ForgeScene) -> None:
    forge.trusted.fetch(str(forge.person), forge.tip())
    assert forge.fetched() == forge.tip()
    assert len(forge.server.requests) == 2
    forge.push(noise=os.urandom(100_000).hex())
    forge.fetched()
    objects = set(Path(forge.trusted.gitdir, "objects").rglob("*"))
    forge.trusted.fetch(str(forge.person), forge.commit(**{"app.py": "mine\n"}))
    brought = set(Path(forge.trusted.gitdir, "objects").rglob("*")) - objects
    assert sum(path.stat().st_size for path in brought if path.suffix == ".pack") < 10_000


def test_a_branch_that_moves_during_the_fetch_is_fetched_as_it_was_seen(forge: ForgeScene) -> None:
    seen = forge.tip()
    later = forge.commit(**{"app.py": "later\n"})
    git(forge.person, "push", "--quiet", "origin", f"{later}:refs/heads/later")

    def move_after_the_look(request: Request) -> None:
        if len(forge.server.asked("GET upload")) == 2:
            git(forge.bare, "update-ref", BRANCH, later)

    forge.server.before = move_after_the_look
    assert forge.fetched() == seen
    assert forge.tip() == later


def test_a_push_is_done_once(forge: ForgeScene) -> None:
    base = forge.fetched()
    fix = forge.fix(base)
    assert forge.trusted.push_to(forge.remote, fix, "topic", expect=base) == PushAnswer("done")
    assert forge.tip() == fix
    assert forge.trusted.push_to(forge.remote, fix, "topic", expect=base) == PushAnswer("done")
    assert len(forge.server.asked("POST receive")) == 1
    assert git(forge.bare, "for-each-ref", "--format=%(refname)").split() == ["refs/heads/main", BRANCH]
    assert forge.fetched() == fix


def test_a_large_push_gets_through(forge: ForgeScene) -> None:
    base = forge.fetched()
    fix = forge.fix(base, os.urandom(1_200_000).hex())
    assert forge.trusted.push_to(forge.remote, fix, "topic", expect=base) == PushAnswer("done")


def test_a_branch_that_moved_is_left_alone(forge: ForgeScene) -> None:
    base = forge.fetched()
    theirs = forge.push(**{"keep.txt": "theirs\n"})
    answer = forge.trusted.push_to(forge.remote, forge.fix(base), "topic", expect=base)
    assert answer == PushAnswer("moved", f"{BRANCH} is at {theirs[:12]}")
    assert forge.tip() == theirs
    assert not forge.server.asked("GET receive")
    git(forge.bare, "update-ref", "-d", BRANCH)
    answer = forge.trusted.push_to(forge.remote, forge.fix(base), "topic", expect=base)
    assert answer == PushAnswer("moved", f"{BRANCH} is at nothing")


@pytest.mark.parametrize("moment", ["GET receive", "POST receive"])
@pytest.mark.parametrize("where", ["HEAD", "HEAD~2"])
def test_a_branch_that_moves_during_the_push_is_left_alone(forge: ForgeScene, moment: str, where: str) -> None:
    forge.push(**{"app.py": "two\n"})
    base = forge.fetched()
    forge.commit(**{"keep.txt": "theirs\n"})
    git(forge.person, "push", "--quiet", "origin", "HEAD:refs/heads/other")
    theirs = git(forge.person, "rev-parse", where)

    def move(request: Request) -> None:
        if request.what == moment:
            git(forge.bare, "update-ref", BRANCH, theirs)

    forge.server.before = move
    assert forge.trusted.push_to(forge.remote, forge.fix(base), "topic", expect=base).word == "moved"
    assert forge.tip() == theirs


def test_a_branch_that_was_elsewhere_only_during_the_push_has_moved(forge: ForgeScene) -> None:
    base = forge.fetched()
    theirs = forge.commit(**{"keep.txt": "theirs\n"})
    git(forge.person, "push", "--quiet", "origin", f"{theirs}:refs/heads/other")

    def move_and_back(request: Request) -> None:
        git(forge.bare, "update-ref", BRANCH, theirs if request.what == "GET receive" else base)

    forge.server.before = move_and_back
    assert forge.trusted.push_to(forge.remote, forge.fix(base), "topic", expect=base).word == "moved"
    assert forge.tip() == base


def test_a_push_whose_answer_is_lost_is_seen_to_be_done(forge: ForgeScene) -> None:
    base = forge.fetched()
    forge.server.cut = "POST receive"
    assert forge.trusted.push_to(forge.remote, forge.fix(base), "topic", expect=base) == PushAnswer("done")


def test_a_forge_that_falls_silent_after_a_push_is_asked_again_later(forge: ForgeScene) -> None:
    base = forge.fetched()
    fix = forge.fix(base)
    forge.server.cut = "POST receive"

    def down_after_the_push(request: Request) -> Answer | None:
        return (503, "later", "") if forge.server.asked("POST receive") and "upload" in request.what else None

    forge.server.before = down_after_the_push
    assert forge.trusted.push_to(forge.remote, fix, "topic", expect=base).word == "unreachable"
    tried = len(forge.server.asked("POST receive"))
    forge.server.before = lambda request: None
    assert forge.trusted.push_to(forge.remote, fix, "topic", expect=base) == PushAnswer("done")
    assert len(forge.server.asked("POST receive")) == tried


def test_a_rule_of_the_repository_bars_a_push_in_its_own_words(forge: ForgeScene) -> None:
    base = forge.fetched()
    hook = forge.bare / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        "#!/bin/sh\n"
        "printf '\\033[31merror: GH006: Protected branch update failed for refs/heads/topic.\\n' >&2\n"
        "echo 'error: Changes must be made through a pull request.' >&2\nexit 1\n"
    )
    hook.chmod(0o755)
    assert forge.trusted.push_to(forge.remote, forge.fix(base), "topic", expect=base) == PushAnswer(
        "barred",
        "error: GH006: Protected branch update failed for refs/heads/topic."
        " Changes must be made through a pull request. (pre-receive hook declined)",
    )
    assert forge.tip() == base


def test_a_rejection_that_is_no_rule_can_be_tried_again(forge: ForgeScene) -> None:
    base = forge.fetched()
    fix = forge.fix(base)
    lock = forge.bare / f"{BRANCH}.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    assert forge.trusted.push_to(forge.remote, fix, "topic", expect=base).word == "unreachable"
    lock.unlink()
    assert forge.trusted.push_to(forge.remote, fix, "topic", expect=base) == PushAnswer("done")


@pytest.mark.parametrize(
    ("status", "word"), [(401, "login"), (403, "forbidden"), (404, "missing"), (500, "unreachable")]
)
@pytest.mark.parametrize("moment", ["GET receive", "POST receive"])
def test_a_push_that_is_refused_by_status(forge: ForgeScene, status: int, word: str, moment: str) -> None:
    base = forge.fetched()
    forge.server.before = lambda request: (status, "Not now.", "") if request.what == moment else None
    assert forge.trusted.push_to(forge.remote, forge.fix(base), "topic", expect=base).word == word
    assert forge.tip() == base


@pytest.mark.parametrize(
    ("status", "said", "word"),
    [
        (403, "Permission to dev/app.git denied to eve.", "forbidden"),
        (404, "Repository not found.", "missing"),
    ],
)
def test_a_push_that_a_person_must_look_at_keeps_the_servers_sentence(
    forge: ForgeScene, status: int, said: str, word: Literal["forbidden", "missing"]
) -> None:
    base = forge.fetched()
    forge.server.before = lambda request: (status, f"{said}\n", "") if request.what == "GET receive" else None
    answer = forge.trusted.push_to(forge.remote, forge.fix(base), "topic", expect=base)
    assert answer == PushAnswer(word, said)


@pytest.mark.parametrize(
    ("status", "word"),
    [(401, "login"), (403, "forbidden"), (404, "missing"), (429, "unreachable"), (502, "unreachable")],
)
def test_a_push_that_cannot_even_look(forge: ForgeScene, status: int, word: str) -> None:
    base = forge.fetched()
    forge.server.before = lambda request: (status, "", "")
    assert forge.trusted.push_to(forge.remote, forge.fix(base), "topic", expect=base).word == word


@pytest.mark.parametrize("branch", ["", "a b", "../x", "x.lock", "a..b", "x:refs/heads/main", "to*", "@{-1}"])
def test_what_is_no_branch_is_never_pushed(forge: ForgeScene, branch: str) -> None:
    base = forge.fetched()
    with pytest.raises(InternalError, match="not a full ref name"):
        forge.trusted.push_to(forge.remote, forge.fix(base), branch, expect=base)


def test_history_is_never_overwritten(forge: ForgeScene) -> None:
    old = forge.fetched()
    new = forge.push(**{"keep.txt": "theirs\n"})
    assert forge.fetched() == new
    with pytest.raises(InternalError, match="never pushed"):
        forge.trusted.push_to(forge.remote, forge.fix(old), "topic", expect=new)
    with pytest.raises(InternalError, match="not a full commit id"):
        forge.trusted.push_to(forge.remote, forge.fix(old), "topic", expect="")
    assert forge.tip() == new


def test_a_fetch_that_breaks_off_leaves_nothing_that_looks_whole(forge: ForgeScene) -> None:
    def down_for_the_fetch(request: Request) -> Answer | None:
        return (503, "", "") if len(forge.server.asked("GET upload")) > 1 else None

    forge.server.before = down_for_the_fetch
    with pytest.raises(ForgeError) as hindered:
        forge.fetched()
    assert hindered.value.failure.kind == "unreachable"
    forge.server.before = lambda request: None
    assert forge.trusted.resolve(forge.fetched()) == forge.tip()


def test_a_fetch_that_another_worker_finishes_is_no_failure(forge: ForgeScene) -> None:
    tip = forge.tip()

    def brought_by_another(request: Request) -> Answer | None:
        if len(forge.server.asked("GET upload")) < 2:
            return None
        gitdir = Path(forge.trusted.gitdir)
        git(gitdir, "--git-dir=.", "fetch", "--quiet", str(forge.bare), f"{tip}:refs/reknit/fetched/{tip}")
        return 503, "", ""

    forge.server.before = brought_by_another
    assert forge.fetched() == tip


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
    monkeypatch.setattr(remote, bound, 1)
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
    with pytest.raises(UsageError, match="is not a safe git remote") as no_fetch:
        forge.trusted.fetch_from(Remote(url, HEADER), [BRANCH])
    with pytest.raises(UsageError, match="is not a safe git remote") as no_push:
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
