import os
from pathlib import Path

import pytest

from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.installation import Installation, find_installation
from reknit.app.start.uncommitted_work import commit_staged, commit_uncommitted
from reknit.core.errors import UsageError
from tests.adapters.git.users_git import git, repository
from tests.tools.repository_print import fingerprint


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return find_installation({"REKNIT_STATE": str(tmp_path / "state")})


@pytest.fixture
def user(tmp_path: Path) -> Path:
    files = {
        "app.py": "one\n",
        "gone.py": "x\n",
        "link": "l\n",
        "staged.py": "s\n",
        "run.sh": "r\n",
        ".gitignore": "*.log\n",
    }
    return repository(tmp_path / "user", files)


def test_everything_that_git_would_commit_is_in_it(installation: Installation, user: Path, tmp_path: Path) -> None:
    (user / "app.py").write_bytes(b"two\r\n")
    (user / "gone.py").unlink()
    (user / "link").unlink()
    (user / "link").symlink_to("app.py")
    (user / "staged.py").write_text("staged\n")
    git(user, "add", "staged.py")
    (user / "run.sh").chmod(0o755)
    (user / "new" / "deep").mkdir(parents=True)
    (user / "new" / "deep" / "ü b.py").write_text("new\n")
    (user / "debug.log").write_text("ignored")
    (user / "id_rsa").write_text("secret")
    before = fingerprint(user)
    work = commit_uncommitted(installation.gitdir("r-1"), UserRepository.find(str(user)), "r-1")
    assert (work.secrets, fingerprint(user)) == (("id_rsa",), before)
    trusted, tree = TrustedGit(str(installation.runs / "r-1" / "trusted.git")), tmp_path / "tree"
    trusted.write_tree_to(work.commit, str(tree))
    assert sorted(str(path.relative_to(tree)) for path in tree.rglob("*") if not path.is_dir()) == [
        ".gitignore", "app.py", "link", "new/deep/ü b.py", "run.sh", "staged.py",
    ]  # fmt: skip
    assert (tree / "app.py").read_bytes() == b"two\r\n"
    assert (os.readlink(tree / "link"), (tree / "staged.py").read_text()) == ("app.py", "staged\n")
    assert os.access(tree / "run.sh", os.X_OK)
    assert work.paths == ("app.py", "gone.py", "link", "new/deep/ü b.py", "run.sh", "staged.py")


def test_without_changes_it_is_the_last_commit(installation: Installation, user: Path) -> None:
    found = UserRepository.find(str(user))
    work = commit_uncommitted(installation.gitdir("r-1"), found, "r-1")
    assert (work.commit, work.paths, work.secrets) == (found.head(), (), ())


def test_what_cannot_be_committed_is_named(installation: Installation, user: Path) -> None:
    (user / "huge.bin").write_bytes(b"x" * 6_000_000)
    with pytest.raises(UsageError, match=r"huge\.bin cannot be part of the run: larger than 5 MB"):
        commit_uncommitted(installation.gitdir("r-1"), UserRepository.find(str(user)), "r-1")


def test_only_what_is_staged_is_in_it(installation: Installation, user: Path, tmp_path: Path) -> None:
    (user / "app.py").write_text("staged\n")
    (user / "gone.py").unlink()
    (user / "new.py").write_text("new\n")
    git(user, "add", "--all")
    git(user, "mv", "link", "moved")
    (user / "app.py").write_text("edited after `git add`\n")
    (user / "run.sh").write_text("not staged\n")
    (user / "untracked.py").touch()
    before = fingerprint(user)
    commit = commit_staged(installation, UserRepository.find(str(user)), "r-1")
    trusted, tree = TrustedGit(str(installation.runs / "r-1" / "trusted.git")), tmp_path / "tree"
    trusted.write_tree_to(commit, str(tree))
    assert {path.name: path.read_text() for path in tree.iterdir()} == {
        ".gitignore": "*.log\n",
        "app.py": "staged\n",
        "moved": "l\n",
        "new.py": "new\n",
        "run.sh": "r\n",
        "staged.py": "s\n",
    }
    assert fingerprint(user) == before


def test_a_staged_file_can_take_the_place_of_a_folder_and_a_folder_that_of_a_file(
    installation: Installation, tmp_path: Path
) -> None:
    user = repository(tmp_path / "other", {"lib/deep/x.py": "x\n", "lib/y.py": "y\n", "app": "a\n"})
    git(user, "rm", "--quiet", "-r", "lib", "app")
    (user / "lib").write_text("a file now\n")
    (user / "app").mkdir()
    (user / "app" / "main.py").write_text("in a folder now\n")
    git(user, "add", "--all")
    commit = commit_staged(installation, UserRepository.find(str(user)), "r-1")
    trusted, tree = TrustedGit(str(installation.runs / "r-1" / "trusted.git")), tmp_path / "tree"
    trusted.write_tree_to(commit, str(tree))
    assert ((tree / "lib").read_text(), (tree / "app" / "main.py").read_text()) == ("a file now\n", "in a folder now\n")


def test_nothing_staged_is_said(installation: Installation, user: Path) -> None:
    (user / "app.py").write_text("edited\n")
    with pytest.raises(UsageError) as caught:
        commit_staged(installation, UserRepository.find(str(user)), "r-1")
    assert caught.value.name == "nothing-staged"


def test_what_cannot_be_part_of_a_staged_run_is_named(installation: Installation, user: Path) -> None:
    (user / "huge.bin").write_bytes(b"x" * 6_000_000)
    git(user, "add", "--all")
    with pytest.raises(UsageError, match=r"huge\.bin cannot be part of the run: larger than 5 MB"):
        commit_staged(installation, UserRepository.find(str(user)), "r-1")
