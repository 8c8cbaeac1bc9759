"""Attacks by files alone, each against naive git (which falls for it) and against the product (which does not)."""

import os
from pathlib import Path

import pytest

from reknit.adapters import process
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.adapters.git.user_repository import UserRepository
from reknit.core.repository.change import Change
from tests.adapters.git.users_git import git, head, repository
from tests.tools.repository_print import fingerprint

HOOKS = (
    "pre-commit commit-msg post-commit post-checkout reference-transaction post-index-change pre-push update "
    "pre-receive post-receive post-update fsmonitor-watchman post-merge pre-auto-gc proc-receive push-to-checkout "
    "post-rewrite"
)
HOOK = "mkdir -p .git/hooks; cp $EVIL .git/hooks/{name}"
COMMIT = "git add --all; git commit -q --allow-empty -m x"
SETTING = "git config {key} $EVIL"
SAME_SIZE = "touch -d '5 seconds ago' .git/index app.py; echo 2 > app.py"
FILTER = "echo '*.py filter=e diff=e' > .gitattributes; git config filter.e.{kind} $EVIL"

# (what the agent does in its folder, a naive command of an orchestrator there); the agent has its own `.git`
ATTACKS = {
    "core.fsmonitor, status": (SETTING.format(key="core.fsmonitor"), "git status"),
    "pre-commit hook, commit": (HOOK.format(name="pre-commit"), COMMIT),
    "post-commit hook, commit --no-verify": (HOOK.format(name="post-commit"), COMMIT + " --no-verify"),
    "post-index-change hook, add": (HOOK.format(name="post-index-change"), "touch app.py; git add --all"),
    "post-checkout hook, checkout": (HOOK.format(name="post-checkout"), "git checkout -qb z"),
    "post-checkout hook, worktree add": (HOOK.format(name="post-checkout"), "git worktree add -q ../second"),
    "reference-transaction hook, branch": (HOOK.format(name="reference-transaction"), "git branch q"),
    "core.hooksPath elsewhere, commit": ("mkdir h; cp $EVIL h/pre-commit; git config core.hooksPath $PWD/h", COMMIT),
    "clean filter, add": (FILTER.format(kind="clean"), "echo 2 > app.py; git add app.py"),
    "clean filter, diff": (
        FILTER.format(kind="clean"), "echo 2 > app.py; git --no-pager diff --no-ext-diff --no-textconv"
    ),
    "clean filter, status after a same-size edit": (f"{FILTER.format(kind='clean')}; {SAME_SIZE}", "git status"),
    "filter process, add": (FILTER.format(kind="process"), "echo 2 > app.py; git add app.py"),
    "smudge filter, checkout": (FILTER.format(kind="smudge"), "rm app.py; git checkout app.py"),
    "textconv, diff": (
        "echo '*.py diff=e' > .gitattributes; git config diff.e.textconv $EVIL", "echo 2 > app.py; git --no-pager diff"
    ),
    "diff.external, diff": (SETTING.format(key="diff.external"), "echo 2 > app.py; git --no-pager diff"),
    "gpg.program with commit.gpgSign, commit": (
        "git config gpg.program $EVIL; git config commit.gpgSign true", COMMIT
    ),
    ".git swapped for a pointer to the agent's gitdir, status": (
        "mv .git ../evil.git; git --git-dir=../evil.git config core.fsmonitor $EVIL; echo gitdir: ../evil.git > .git",
        "git status",
    ),
    "core.sshCommand, push to an ssh remote": (
        "git config remote.origin.url ssh://x/y; git config core.sshCommand $QUIET", "git push -q origin HEAD"
    ),
    "ext:: remote, push": (
        "git config remote.origin.url \"ext::$QUIET\"; git config protocol.ext.allow always", "git push -q origin HEAD"
    ),
    "receivepack of a remote, push by its name": (
        "git init -q --bare ../b.git; git config remote.origin.url ../b.git; "
        "git config remote.origin.receivepack $QUIET",
        "git push -q origin HEAD",
    ),
    "core.alternateRefsCommand, push into it": (
        "git clone -q --shared --bare . ../c.git; git --git-dir=../c.git config core.alternateRefsCommand $QUIET",
        "git push -q ../c.git HEAD:refs/heads/x",
    ),
    "bare repository in the tree, status in it": (
        "git init -q --bare lib/hidden.git; git -C lib/hidden.git config core.fsmonitor $EVIL; "
        "git -C lib/hidden.git config core.bare false; git -C lib/hidden.git config core.worktree $PWD",
        "git -C lib/hidden.git status",
    ),
    "repository in a sub-folder, status after add": (
        "git init -q sub; cd sub; echo s > s; git add s; git commit -qm s; git config core.fsmonitor $EVIL",
        "git add --all; git status",
    ),
    "submodule with its own filter and `ignore = none`, status": (
        "git init -q sub; (cd sub; echo s > s.py; git add s.py; git commit -qm s); git add sub; git commit -qm sub; "
        "printf '[submodule \"sub\"]\\n path = sub\\n url = x\\n ignore = none\\n' > .gitmodules; cd sub; "
        "git config filter.e.clean $EVIL; echo '*.py filter=e' > .gitattributes; "
        "touch -d '5 seconds ago' .git/index s.py; echo t > s.py",
        "git status",
    ),
}  # fmt: skip


class Scene:
    """A user's repository, a trusted gitdir, an agent's folder, and a program that leaves a mark when it runs."""

    def __init__(self, tmp_path: Path) -> None:
        self.tmp_path, self.mark = tmp_path, tmp_path / "RAN"
        self.evil, self.quiet = tmp_path / "evil.sh", tmp_path / "quiet.sh"
        # A filter must copy its input; a transport that does so hangs git.
        for program, tail in ((self.evil, "cat 2>/dev/null\n"), (self.quiet, "")):
            program.write_text(f"#!/bin/sh\necho ran >> {self.mark}\n{tail}exit 0\n")
            program.chmod(0o755)
        self.user = repository(tmp_path / "user", {"app.py": "1\n", "keep.py": "k\n", ".gitignore": "*.log\n"})
        self.base = head(self.user)
        self.trusted = TrustedGit.open(str(tmp_path / "trusted.git"))
        self.trusted.fetch(str(self.user), self.base)
        self.tree = tmp_path / "tree"
        self.trusted.write_tree_to(self.base, str(self.tree))

    def shell(self, folder: Path, script: str) -> str:
        env = {
            "PATH": os.environ["PATH"], "HOME": str(self.tmp_path), "EVIL": str(self.evil), "QUIET": str(self.quiet),
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
        }  # fmt: skip
        return process.run(["bash", "-c", script], env=env, cwd=str(folder), timeout_s=20).stdout.decode()

    def naive(self, folder: Path, script: str) -> bool:
        """Whether naive git ran the attacker's program."""
        self.shell(folder, script)
        return self.ran()

    def ran(self) -> bool:
        ran = self.mark.exists()
        self.mark.unlink(missing_ok=True)
        return ran


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def own_repository(scene: Scene) -> None:
    scene.shell(scene.tree, "git init -q -b main .; git add --all; git commit -qm i")


def product_pass(scene: Scene, *, skip: tuple[str, ...] = ()) -> Change:
    """Everything the product does with an agent's folder, from looking to landing. Returns what it saw."""
    change = scene.trusted.snapshot(str(scene.tree), scene.base, "refs/reknit/a/1", skip=skip, at=0.0)
    scene.trusted.diff(scene.base, "refs/reknit/a/1")
    named = Change(tuple(file for file in change.files if file.path in ("app.py", "new.py")))
    commit = scene.trusted.commit(scene.base, named, "fix: two files\n", at=0.0)
    assert scene.trusted.change(scene.base, commit) == named
    scene.trusted.write_tree_to("refs/reknit/a/1", str(scene.tmp_path / "fresh"))
    scene.trusted.land(str(scene.user), commit, "reknit/a")
    assert git(scene.user, "diff", "--name-only", "main", "reknit/a").split() == ["app.py", "new.py"]
    return change


@pytest.mark.parametrize(("plant", "naive"), ATTACKS.values(), ids=ATTACKS.keys())
def test_naive_git_runs_the_agents_program(scene: Scene, plant: str, naive: str) -> None:
    """The control: without it, a blocked attack could be one that never worked."""
    own_repository(scene)
    scene.shell(scene.tree, plant)
    scene.ran()
    assert scene.naive(scene.tree, naive)


@pytest.mark.parametrize(("plant", "naive"), ATTACKS.values(), ids=ATTACKS.keys())
def test_the_product_does_not(scene: Scene, plant: str, naive: str) -> None:
    own_repository(scene)
    scene.shell(scene.tree, plant)
    (scene.tree / "app.py").write_text("2\n")
    (scene.tree / "new.py").write_text("n\n")
    scene.ran()
    change = product_pass(scene)
    assert not scene.ran()
    assert {"app.py", "new.py"} <= set(change.paths)
    assert ".git" in dict(change.unsafe)


def test_all_attacks_at_once(scene: Scene) -> None:
    own_repository(scene)
    for plant, _ in ATTACKS.values():
        scene.shell(scene.tree, plant)
    scene.shell(scene.tree, f"for hook in {HOOKS}; do cp $EVIL .git/hooks/$hook; done; echo '*' >> .gitignore")
    scene.shell(scene.tree, "echo secret > x.log; ln -s /etc/hostname link; echo 2 > app.py; echo n > new.py")
    scene.shell(scene.tree, "printf '* filter=e diff=e merge=e ident working-tree-encoding=UTF-16\\n' > .gitattributes")
    scene.ran()
    change = product_pass(scene)
    assert not scene.ran()
    assert {".gitattributes", ".gitignore", "app.py", "new.py", "link", "h/pre-commit"} <= set(change.paths)
    assert "x.log" in change.left_out, "ignored by the commit, not by the agent"
    assert {".git", "lib/hidden.git", "sub/.git"} <= set(dict(change.unsafe))
    by_path = {file.path: file for file in change.files}
    assert by_path["app.py"].after == b"2\n", "content is stored as it is"
    assert "-1\n+2\n" in scene.trusted.diff(scene.base, "refs/reknit/a/1")


@pytest.mark.parametrize("kind", ["clean", "smudge", "process"])
def test_a_driver_in_the_trusted_config_is_not_for_the_agent_to_choose(scene: Scene, kind: str) -> None:
    for key in (f"filter.e.{kind}", "diff.e.textconv", "diff.e.command"):
        git(Path(scene.trusted.gitdir), "--git-dir=.", "config", key, str(scene.evil))
    (scene.tree / ".gitattributes").write_text("*.py filter=e diff=e\n")
    (scene.tree / "app.py").write_text("2\n")
    (scene.tree / "new.py").write_text("n\n")
    product_pass(scene)
    assert not scene.ran()
    assert (scene.tmp_path / "fresh" / "app.py").read_text() == "2\n"


HIDING = {
    "assume-unchanged": "git update-index --assume-unchanged app.py; echo 2 > app.py",
    "skip-worktree": "git update-index --skip-worktree app.py; echo 2 > app.py",
    "ignore rules of its own": "echo '*' > .gitignore; echo 2 > app.py; git add -f app.py .gitignore; git commit -qm x",
    "info/exclude": "echo '*' > .git/info/exclude; echo 2 > app.py; git commit -qam x",
    "a replaced commit": "echo 2 > app.py; git commit -qam 2; git replace HEAD HEAD~1",
    "a changed file with its old times": "touch -r app.py ../t; echo 2 > app.py; touch -r ../t app.py",
}


@pytest.mark.parametrize("script", HIDING.values(), ids=HIDING.keys())
def test_a_hidden_change_is_seen(scene: Scene, script: str) -> None:
    own_repository(scene)
    scene.shell(scene.tree, script)
    (scene.tree / "new.py").write_text("n\n")
    seen = {file.path: file.after for file in product_pass(scene).files}
    assert seen["app.py"] == b"2\n" and seen["new.py"] == b"n\n"


def test_replace_refs_in_the_trusted_gitdir_hide_nothing(scene: Scene) -> None:
    (scene.tree / "app.py").write_text("2\n")
    scene.trusted.snapshot(str(scene.tree), scene.base, "refs/reknit/a/1", at=0.0)
    git(Path(scene.trusted.gitdir), "--git-dir=.", "replace", "refs/reknit/a/1", scene.base)
    assert scene.trusted.change(scene.base, "refs/reknit/a/1").paths == ("app.py",)


def poison(scene: Scene) -> None:
    """A user's repository in which every naive command runs a program."""
    scene.shell(
        scene.user,
        f"mkdir -p .git/hooks; for hook in {HOOKS}; do cp $EVIL .git/hooks/$hook; done; "
        "git config core.fsmonitor $EVIL; "
        "git config core.alternateRefsCommand $QUIET; git config uploadpack.packObjectsHook $EVIL; "
        "git config diff.external $EVIL; git config gpg.program $EVIL; git config core.pager $EVIL; "
        "git config core.sshCommand $QUIET; git config gc.auto 1",
    )
    scene.ran()


def test_nothing_of_a_poisoned_user_repository_runs(scene: Scene) -> None:
    poison(scene)
    assert scene.naive(scene.user, "git status") and scene.naive(scene.user, "git -c core.fsmonitor= branch naive")
    git(scene.user, "-c", "core.hooksPath=/dev/null", "update-ref", "-d", "refs/heads/naive")
    (scene.user / "app.py").write_text("3\n")
    scene.shell(scene.user, "git -c core.hooksPath=/dev/null -c core.fsmonitor=false commit -qam three")
    (scene.user / "junk.log").write_text("")
    os.utime(scene.user / "keep.py", (1, 1))
    scene.ran()
    before = fingerprint(scene.user)

    seen = UserRepository.find(str(scene.user))
    scene.base = seen.head()
    assert (seen.branch(), seen.dirty(), seen.ignored()) == ("main", (), ("junk.log",))
    assert (seen.read("app.py"), len(seen.tracked())) == ("3\n", 3)
    scene.trusted.fetch(seen.root, scene.base)
    scene.trusted.write_tree_to(scene.base, str(scene.tree))
    (scene.tree / "app.py").write_text("4\n")
    change = scene.trusted.snapshot(str(scene.tree), scene.base, "refs/reknit/a/1", at=0.0)
    commit = scene.trusted.commit(scene.base, change, "fix\n", at=0.0)
    scene.trusted.land(seen.root, commit, "reknit/a")
    assert scene.trusted.remove_branch(seen.root, "reknit/a", commit)

    assert not scene.ran()
    assert fingerprint(scene.user) == before


def test_the_callers_environment_reaches_no_git(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "GIT_DIR": "/nowhere", "GIT_WORK_TREE": "/nowhere", "GIT_INDEX_FILE": "/nowhere",
        "GIT_EXTERNAL_DIFF": str(scene.evil),
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": str(scene.evil),
        "GIT_OBJECT_DIRECTORY": "/nowhere", "GIT_PAGER": str(scene.evil), "GIT_SSH_COMMAND": str(scene.evil),
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    (scene.tree / "app.py").write_text("2\n")
    (scene.tree / "new.py").write_text("n\n")
    product_pass(scene)
    assert UserRepository.find(str(scene.user)).dirty() == ()
    assert not scene.ran()
