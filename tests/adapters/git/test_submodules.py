"""Submodules in a fresh tree: the recorded commit's files, and nothing of another repository."""

import os
from pathlib import Path

import pytest

from reknit.adapters.git import submodules
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.core.repository.change import Change
from tests.adapters.git.users_git import git, head, repository

REF = "refs/reknit/run/1"


class Scene:
    """A repository with the submodule `lib/sub`, which has the submodule `deep`."""

    def __init__(self, top: Path) -> None:
        deep = repository(top / "deep-origin", {"d.py": "deep\n"})
        inner = repository(top / "sub-origin", {"s.py": "one\n", "run.sh": "#!/bin/sh\n"})
        add(inner, deep, "deep")
        self.user = repository(top / "user", {"app.py": "1\n"})
        add(self.user, inner, "lib/sub")
        git(self.user, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--recursive")
        self.top, self.base = top, head(self.user)

    def open(self) -> tuple[TrustedGit, Path]:
        trusted = TrustedGit.open(str(self.top / "trusted.git"))
        trusted.fetch(str(self.user), self.base)
        trusted.bring_submodules(str(self.user), self.base)
        trusted.write_tree_to(self.base, str(self.top / "tree"))
        return trusted, self.top / "tree"


def add(user: Path, inner: Path, path: str) -> None:
    git(user, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), path)
    git(user, "commit", "--quiet", "--message=submodule")


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path.resolve())


def look(trusted: TrustedGit, scene: Scene, tree: Path) -> Change:
    return trusted.snapshot(str(tree), scene.base, REF, at=0.0)


def test_the_recorded_files_are_in_the_tree_and_in_no_change(scene: Scene) -> None:
    sub = scene.user / "lib" / "sub"
    (sub / "s.py").write_text("edited by the user\n")
    git(sub, "commit", "--quiet", "--all", "--message=a later commit")
    trusted, tree = scene.open()
    assert (tree / "lib/sub/s.py").read_text() == "one\n", "as recorded, not as checked out"
    assert (tree / "lib/sub/deep/d.py").read_text() == "deep\n"
    assert not (tree / "lib/sub/.git").exists()
    assert look(trusted, scene, tree) == Change(())
    (tree / "app.py").write_text("2\n")
    (tree / "lib/sub/made.o").write_text("by a build")
    assert (look(trusted, scene, tree).paths, look(trusted, scene, tree).unsafe) == (("app.py",), ())
    assert submodules.list_absent(str(scene.user), scene.base) == ()


def test_the_user_may_remove_the_checkout_later(scene: Scene) -> None:
    scene.open()
    git(scene.user, "submodule", "--quiet", "deinit", "--force", "--all")
    _, tree = scene.open()
    assert (tree / "lib/sub/s.py").exists()


def test_an_agents_change_to_a_submodule_is_refused_and_named(scene: Scene) -> None:
    trusted, tree = scene.open()
    (tree / "lib/sub/s.py").write_text("changed\n")
    (tree / "lib/sub/run.sh").unlink()
    (tree / "lib/sub/deep/d.py").write_text("changed\n")
    change = look(trusted, scene, tree)
    why = "in a submodule, which is another repository"
    changed = ("lib/sub/s.py", "lib/sub/run.sh", "lib/sub/deep/d.py")
    assert (change.files, dict(change.unsafe)) == ((), dict.fromkeys(changed, why))
    for path in ("s.py", ".gitmodules", "deep/d.py"):
        (tree / "lib/sub" / path).unlink()
    (tree / "lib/sub/deep").rmdir()
    assert look(trusted, scene, tree) == Change(()), "an empty folder is a submodule without its files"
    (tree / "lib/sub").rmdir()
    (tree / "lib/sub").symlink_to("/etc")
    assert ("lib/sub", "in place of a submodule") in look(trusted, scene, tree).unsafe


def test_what_is_not_checked_out_is_absent(scene: Scene) -> None:
    git(scene.user / "lib/sub", "submodule", "--quiet", "deinit", "--force", "deep")
    assert submodules.list_absent(str(scene.user), scene.base) == ("lib/sub/deep",)
    git(scene.user, "submodule", "--quiet", "deinit", "--force", "--all")
    assert submodules.list_absent(str(scene.user), scene.base) == ("lib/sub",)
    trusted, tree = scene.open()
    assert os.listdir(tree / "lib/sub") == []
    assert look(trusted, scene, tree) == Change(())
    (tree / "lib/sub/new.py").write_text("new\n")
    assert dict(look(trusted, scene, tree).unsafe) == {"lib/sub": "in place of a submodule"}


def test_a_commit_that_was_never_fetched_is_absent(scene: Scene) -> None:
    git(scene.user, "update-index", "--cacheinfo", f"160000,{'1' * 40},lib/sub")
    git(scene.user, "commit", "--quiet", "--message=elsewhere")
    scene.base = head(scene.user)
    assert submodules.list_absent(str(scene.user), scene.base) == ("lib/sub",)
    _, tree = scene.open()
    assert os.listdir(tree / "lib/sub") == []


@pytest.mark.parametrize("way", ["pointer", "link"])
def test_another_repository_is_no_submodule(scene: Scene, way: str) -> None:
    other = repository(scene.top / "other", {"secret.py": "secret\n"})
    git(scene.user, "update-index", "--cacheinfo", f"160000,{head(other)},lib/sub")
    git(scene.user, "commit", "--quiet", "--message=claims it")
    scene.base = head(scene.user)
    git(scene.user, "submodule", "--quiet", "deinit", "--force", "--all")
    if way == "pointer":
        (scene.user / "lib/sub/.git").write_text(f"gitdir: {other}/.git\n")
    else:
        (scene.user / "lib/sub").rmdir()
        (scene.user / "lib/sub").symlink_to(other)
    _, tree = scene.open()
    assert not (tree / "lib/sub/secret.py").exists()
    assert submodules.list_absent(str(scene.user), scene.base) == ("lib/sub",)


def test_nothing_of_the_submodules_settings_runs(scene: Scene) -> None:
    sub = scene.user / "lib" / "sub"
    mark = scene.top / "ran"
    git(sub, "config", "filter.x.smudge", f"touch {mark}")
    git(sub, "config", "core.fsmonitor", f"touch {mark}")
    info = Path(git(sub, "rev-parse", "--absolute-git-dir").strip()) / "info"
    info.mkdir(exist_ok=True)
    (info / "attributes").write_text("* filter=x\n")
    scene.open()
    submodules.list_absent(str(scene.user), scene.base)
    assert not mark.exists()
