"""The stand-in's git side, with the real git over HTTP: who may do what, and what pushes run into."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from reknit.adapters.process import Completed, run
from tests.tools.github import GitHub

APP = "dev/app"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as hub:
        hub.make_repository(APP, {"a.py": "x = 1\n"})
        yield hub


class Clone:
    """Somebody's clone, and their token."""

    def __init__(self, hub: GitHub, folder: Path, slug: str = APP, *, branch: str = "main", token: str = "") -> None:
        self.folder, self.url = folder, f"{hub.url}/{slug}.git"
        self._environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(folder),
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
        }
        if token:
            secret = base64.b64encode(f"x-access-token:{token}".encode()).decode()
            self._environment |= {
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": "http.extraHeader",
                "GIT_CONFIG_VALUE_0": f"Authorization: Basic {secret}",
            }
        for who in ("AUTHOR", "COMMITTER"):
            self._environment |= {f"GIT_{who}_NAME": "me", f"GIT_{who}_EMAIL": "me@example.com"}
        folder.mkdir()
        self.cloned = self.git("clone", "-q", "-b", branch, self.url, ".")

    def git(self, *arguments: str) -> Completed:
        return run(["git", *arguments], env=self._environment, cwd=str(self.folder))

    def commit(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        self.git("add", name)
        self.git("commit", "-qm", f"change {name}")
        return self.git("rev-parse", "HEAD").stdout.decode().strip()

    def push(self, branch: str, *more: str) -> Completed:
        return self.git("push", "--porcelain", self.url, f"HEAD:refs/heads/{branch}", *more)


def test_clone_commit_and_push(hub: GitHub, tmp_path: Path) -> None:
    pushed: list[tuple[str, str, str]] = []
    hub.on_push = lambda slug, branch, sha: pushed.append((slug, branch, sha))
    clone = Clone(hub, tmp_path / "c", token=hub.token)
    assert (clone.folder / "a.py").read_text() == "x = 1\n"
    sha = clone.commit("b.py", "y = 2\n")
    assert clone.push("feat").exit_code == 0
    assert hub.head(APP, "feat") == sha
    assert pushed == [(APP, "feat", sha)]
    assert hub.log(APP, "feat")[0] == (sha, "change b.py", "me")
    assert [row[1] for row in hub.log(APP, "feat")] == ["change b.py", "first commit"]


def test_anybody_reads_what_is_public_and_nobody_pushes_without_a_token(hub: GitHub, tmp_path: Path) -> None:
    clone = Clone(hub, tmp_path / "c")
    assert clone.cloned.exit_code == 0
    clone.commit("b.py", "y = 2\n")
    refused = clone.push("feat")
    assert refused.exit_code == 128
    assert b"could not read Username" in refused.stderr
    assert hub.head(APP, "feat") == ""


@pytest.mark.parametrize("wrong", ["unknown", "revoked"])
def test_a_bad_token_opens_nothing(hub: GitHub, tmp_path: Path, wrong: str) -> None:
    if wrong == "revoked":
        hub.faults.revoked.add(hub.token)
    clone = Clone(hub, tmp_path / "c", token=hub.token if wrong == "revoked" else "ghp_nobody")
    assert clone.cloned.exit_code == 128
    assert {call.status for call in hub.calls} == {401}


def test_a_private_repository_hides_from_strangers(hub: GitHub, tmp_path: Path) -> None:
    hub.make_repository("dev/secret", {"a": "b\n"}, private=True)
    assert Clone(hub, tmp_path / "stranger", "dev/secret", token=hub.give_token("eve")).cloned.exit_code == 128
    assert hub.calls[-1].status == 404
    assert Clone(hub, tmp_path / "owner", "dev/secret", token=hub.token).cloned.exit_code == 0


def test_a_reader_may_not_push(hub: GitHub, tmp_path: Path) -> None:
    clone = Clone(hub, tmp_path / "c", token=hub.give_token("eve"))
    clone.commit("b.py", "y = 2\n")
    refused = clone.push("feat")
    assert refused.exit_code == 128
    assert b"403" in refused.stderr


def test_leases_are_gits_own(hub: GitHub, tmp_path: Path) -> None:
    seen = hub.commit(APP, "feat", {"a.py": "x = 2\n"})
    clone = Clone(hub, tmp_path / "c", branch="feat", token=hub.token)
    mine = clone.commit("b.py", "y = 2\n")
    stale = clone.push("feat", f"--force-with-lease=feat:{'1' * 40}")
    assert stale.exit_code == 1
    assert b"[rejected] (stale info)" in stale.stdout
    assert clone.push("feat", f"--force-with-lease=feat:{seen}").exit_code == 0
    assert hub.head(APP, "feat") == mine


def test_a_protected_branch_refuses_in_githubs_words(hub: GitHub, tmp_path: Path) -> None:
    hub.protect(APP, "main")
    clone = Clone(hub, tmp_path / "c", token=hub.token)
    before = hub.head(APP, "main")
    clone.commit("b.py", "y = 2\n")
    refused = clone.push("main")
    assert refused.exit_code == 1
    assert b"[remote rejected] (protected branch hook declined)" in refused.stdout
    assert b"GH006: Protected branch update failed for refs/heads/main" in refused.stderr
    assert hub.head(APP, "main") == before


def test_the_pull_requests_ref_follows_its_head(hub: GitHub, tmp_path: Path) -> None:
    first = hub.commit(APP, "feat", {"a.py": "x = 2\n"})
    number = hub.open_pull(APP, head="feat")
    clone = Clone(hub, tmp_path / "c", branch="feat", token=hub.token)
    listed = clone.git("ls-remote", clone.url, f"refs/pull/{number}/head").stdout.decode()
    assert listed.split() == [first, f"refs/pull/{number}/head"]
    mine = clone.commit("b.py", "y = 2\n")
    clone.push("feat")
    assert clone.git("ls-remote", clone.url, f"refs/pull/{number}/head").stdout.decode().startswith(mine)
    hub.close_pull(APP, number)
    hub.commit(APP, "feat", {"a.py": "x = 3\n"})
    assert clone.git("ls-remote", clone.url, f"refs/pull/{number}/head").stdout.decode().startswith(mine)


def test_a_fork_is_its_owners_unless_it_is_lent(hub: GitHub, tmp_path: Path) -> None:
    fork = hub.fork(APP, "eve")
    hub.commit(fork, "feat", {"a.py": "x = 2\n"}, author="eve")
    hub.open_pull(APP, head="feat", head_slug=fork, author="eve", association="NONE", maintainer_can_modify=False)
    clone = Clone(hub, tmp_path / "c", fork, branch="feat", token=hub.token)
    mine = clone.commit("b.py", "y = 2\n")
    assert b"403" in clone.push("feat").stderr
    hub.close_pull(APP, 1)
    hub.open_pull(APP, head="feat", head_slug=fork, author="eve", association="NONE", maintainer_can_modify=True)
    assert b"403" in clone.push("other").stderr
    assert clone.push("feat").exit_code == 0
    assert hub.head(fork, "feat") == mine
    assert clone.git("ls-remote", f"{hub.url}/{APP}.git", "refs/pull/2/head").stdout.decode().startswith(mine)


def test_a_deleted_fork_is_not_there(hub: GitHub, tmp_path: Path) -> None:
    fork = hub.fork(APP, "eve")
    hub.delete_repository(fork)
    assert b"not found" in Clone(hub, tmp_path / "c", fork, token=hub.token).cloned.stderr


def test_an_app_pushes_with_its_token(hub: GitHub, tmp_path: Path) -> None:
    token, _ = hub.app.exchange()
    clone = Clone(hub, tmp_path / "c", token=token)
    mine = clone.commit("b.py", "y = 2\n")
    assert clone.push("feat").exit_code == 0
    assert hub.head(APP, "feat") == mine


def test_a_person_is_quicker_than_the_push(hub: GitHub, tmp_path: Path) -> None:
    seen = hub.commit(APP, "feat", {"a.py": "x = 2\n"})
    hub.open_pull(APP, head="feat")
    clone = Clone(hub, tmp_path / "c", branch="feat", token=hub.token)
    mine = clone.commit("b.py", "y = 2\n")
    hub.faults.switch("branch_moves")
    refused = clone.push("feat", f"--force-with-lease=feat:{seen}")
    assert b"[rejected] (stale info)" in refused.stdout
    theirs = hub.log(APP, "feat")[0]
    assert theirs[2] == "colleague"
    assert mine not in [sha for sha, _, _ in hub.log(APP, "feat")]


def test_a_person_is_quicker_than_the_server(hub: GitHub, tmp_path: Path) -> None:
    seen = hub.commit(APP, "feat", {"a.py": "x = 2\n"})
    clone = Clone(hub, tmp_path / "c", branch="feat", token=hub.token)
    clone.commit("b.py", "y = 2\n")
    hub.faults.switch("branch_races")
    refused = clone.push("feat", f"--force-with-lease=feat:{seen}")
    assert refused.exit_code == 1
    assert b"[remote rejected]" in refused.stdout
    assert hub.log(APP, "feat")[0][2] == "colleague"


def test_a_person_rewrites_the_head(hub: GitHub, tmp_path: Path) -> None:
    seen = hub.commit(APP, "feat", {"a.py": "x = 2\n"}, message="mine")
    number = hub.open_pull(APP, head="feat")
    clone = Clone(hub, tmp_path / "c", branch="feat", token=hub.token)
    clone.commit("b.py", "y = 2\n")
    told: list[str] = []
    hub.on_push = lambda _slug, _branch, sha: told.append(sha)
    hub.faults.switch("force_pushed")
    assert b"(stale info)" in clone.push("feat", f"--force-with-lease=feat:{seen}").stdout
    log = hub.log(APP, "feat")
    assert seen not in [sha for sha, _, _ in log]
    assert log[0][1].startswith("mine (rewritten")
    assert told == [hub.head(APP, "feat")]
    listed = clone.git("ls-remote", clone.url, f"refs/pull/{number}/head").stdout.decode()
    assert listed.startswith(hub.head(APP, "feat"))


def test_a_push_is_done_though_its_answer_is_lost(hub: GitHub, tmp_path: Path) -> None:
    clone = Clone(hub, tmp_path / "c", token=hub.token)
    mine = clone.commit("b.py", "y = 2\n")
    hub.faults.switch("push_lost_answer")
    assert clone.push("feat").exit_code != 0
    assert hub.head(APP, "feat") == mine
    assert [call.path for call in hub.calls].count(f"/{APP}.git/git-receive-pack") == 1


@pytest.mark.parametrize(("fault", "word"), [("git_unavailable", b"503"), ("permission", b"403")])
def test_git_is_refused_for_a_while(hub: GitHub, tmp_path: Path, fault: str, word: bytes) -> None:
    clone = Clone(hub, tmp_path / "c", token=hub.token)
    clone.commit("b.py", "y = 2\n")
    hub.faults.switch(fault)
    told = b""
    while hub.faults.is_armed(fault):
        told += clone.push("feat").stderr
    assert word in told
    assert clone.push("feat").exit_code == 0


def test_a_big_push_comes_in_chunks(hub: GitHub, tmp_path: Path) -> None:
    clone = Clone(hub, tmp_path / "c", token=hub.token)
    clone.git("config", "http.postBuffer", "65536")
    noise = "".join(f"{number * 2654435761 % 4294967296:x}\n" for number in range(30_000))
    mine = clone.commit("big.txt", noise)
    assert clone.push("feat").exit_code == 0
    assert hub.head(APP, "feat") == mine
