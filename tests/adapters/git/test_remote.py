"""Fetching from and pushing to a forge: real git, real HTTP, and everything that can come between."""

import os
from pathlib import Path
from typing import Literal

import pytest

from reknit.core.errors import InternalError
from reknit.core.forge.values import ForgeError, PushAnswer
from tests.adapters.git.forge_scene import BRANCH, HEADER, ForgeScene
from tests.adapters.git.git_server import Answer, Request
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
