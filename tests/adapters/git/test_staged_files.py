"""What is staged, written as it is in the index, whatever the working tree and the settings say."""

import os
from pathlib import Path

import pytest

from reknit.adapters.git.staged_files import StagedRepository
from reknit.adapters.git.user_repository import UserRepository
from reknit.core.errors import UsageError
from reknit.core.repository.change import EXECUTABLE, GITLINK, REGULAR, SYMLINK, Change, FileChange
from tests.adapters.git.users_git import git, head, repository
from tests.tools.repository_print import fingerprint


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return repository(tmp_path / "user", {"app.py": "one\n", "lib/x.py": "x\n"})


def written(user: Path, folder: Path) -> dict[str, str]:
    """Everything that is staged, written to the folder: path -> text, `-> target` or `x text`."""
    found = StagedRepository.find(str(user))
    folder.mkdir()
    found.write(found.staged(), str(folder))
    files = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_symlink() or path.is_file()):
        runs = "x " if not path.is_symlink() and os.access(path, os.X_OK) else ""
        text = f"-> {os.readlink(path)}" if path.is_symlink() else f"{runs}{path.read_bytes().decode()}"
        files[str(path.relative_to(folder))] = text
    return files


def test_what_is_staged_is_written_as_it_is_in_the_index(user: Path, tmp_path: Path) -> None:
    for name in ("gone.py", "old.py", "run.sh", "kept.py"):
        (user / name).write_text(f"{name}\n")
    git(user, "add", "--all")
    git(user, "commit", "--quiet", "--message=more")
    (user / "app.py").write_text("two\n")
    (user / "new" / "deep").mkdir(parents=True)
    (user / "new" / "deep" / "ü b*.py").write_text("new\n")
    (user / "link").symlink_to("../outside")
    (user / "run.sh").chmod(0o755)
    git(user, "rm", "--quiet", "gone.py")
    git(user, "mv", "old.py", "moved.py")
    git(user, "add", "--all")
    (user / "app.py").write_text("edited after `git add`\n")
    (user / "kept.py").write_text("edited, not staged\n")
    (user / "untracked.py").touch()
    before = fingerprint(user)
    assert UserRepository.find(str(user)).staged() == (
        "app.py", "gone.py", "link", "moved.py", "new/deep/ü b*.py", "old.py", "run.sh",
    )  # fmt: skip
    assert written(user, tmp_path / "staged") == {
        "app.py": "two\n",
        "link": "-> ../outside",
        "moved.py": "old.py\n",
        "new/deep/ü b*.py": "new\n",
        "run.sh": "x run.sh\n",
    }
    assert fingerprint(user) == before


def test_without_anything_staged_nothing_is_written(user: Path, tmp_path: Path) -> None:
    (user / "app.py").write_text("edited\n")
    assert written(user, tmp_path / "staged") == {}


@pytest.mark.parametrize("key", ["clean", "smudge", "process"])
def test_a_filter_does_not_run_on_what_is_staged(user: Path, tmp_path: Path, key: str) -> None:
    ran = tmp_path / "ran"
    (user / "app.py").write_text("two\n")
    git(user, "add", "--all")
    for name in (f"filter.x.{key}", "diff.x.command", "diff.x.textconv", "diff.external"):
        git(user, "config", name, f"touch {ran}; cat")
    git(user, "config", "filter.x.required", "true")
    (user / ".git" / "info").mkdir(exist_ok=True)
    (user / ".git" / "info" / "attributes").write_text("*.py filter=x diff=x\n")
    assert written(user, tmp_path / "staged") == {"app.py": "two\n"}
    assert not ran.exists()


def test_line_ends_are_not_converted(user: Path, tmp_path: Path) -> None:
    """The tree it is compared with has them as they are stored."""
    (user / ".gitattributes").write_text("*.txt text eol=crlf\n*.py ident\n")
    (user / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    (user / "b.py").write_text("# $Id$\n")
    git(user, "config", "core.autocrlf", "true")
    git(user, "add", "--all")
    made = written(user, tmp_path / "staged")
    assert (made["a.txt"], made["b.py"]) == ("one\ntwo\n", "# $Id$\n")


def test_any_number_of_staged_files_is_written(user: Path, tmp_path: Path) -> None:
    folder = user / ("f" * 200) / ("g" * 200) / ("h" * 200)
    folder.mkdir(parents=True)
    for number in range(4_000):
        (folder / f"{number:0200}").touch()
    git(user, "add", "--all")
    assert len(written(user, tmp_path / "staged")) == 4_000


def test_a_file_can_take_the_place_of_a_folder(user: Path, tmp_path: Path) -> None:
    git(user, "rm", "--quiet", "lib/x.py")
    (user / "lib").write_text("a file now\n")
    git(user, "add", "--all")
    assert written(user, tmp_path / "staged") == {"lib": "a file now\n"}


def test_a_submodule_is_left_out(user: Path, tmp_path: Path) -> None:
    git(user, "update-index", "--add", "--cacheinfo", f"160000,{head(user)},sub")
    assert written(user, tmp_path / "staged") == {}


def test_a_conflict_is_named(user: Path, tmp_path: Path) -> None:
    git(user, "checkout", "--quiet", "-b", "side")
    (user / "app.py").write_text("side\n")
    git(user, "commit", "--quiet", "--all", "--message=side")
    git(user, "checkout", "--quiet", "main")
    (user / "app.py").write_text("main\n")
    git(user, "commit", "--quiet", "--all", "--message=main")
    git(user, "merge", "side", check=False)
    with pytest.raises(UsageError, match=r"'app\.py' has a merge conflict"):
        written(user, tmp_path / "staged")
    with pytest.raises(UsageError, match=r"'app\.py' has a merge conflict"):
        staged_change(user)


def test_an_object_that_is_lost_is_named(user: Path, tmp_path: Path) -> None:
    (user / "app.py").write_text("two\n")
    git(user, "add", "app.py")
    blob = git(user, "rev-parse", ":app.py")
    (user / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(UsageError, match=f"lacks the staged {blob}"):
        written(user, tmp_path / "staged")


def test_a_broken_index_is_named(user: Path, tmp_path: Path) -> None:
    (user / ".git" / "index").write_bytes(b"junk")
    with pytest.raises(UsageError, match="git ls-files failed"):
        StagedRepository(str(user)).write(["app.py"], str(tmp_path))


def staged_change(user: Path) -> Change:
    return StagedRepository.find(str(user)).change()


def test_the_change_since_the_last_commit_has_contents_and_modes(user: Path) -> None:
    (user / "app.py").write_text("two\n")
    git(user, "rm", "--quiet", "lib/x.py")
    (user / "run.sh").write_text("run\n")
    (user / "run.sh").chmod(0o755)
    (user / "link").symlink_to("app.py")
    git(user, "add", "--all")
    git(user, "update-index", "--add", "--cacheinfo", f"160000,{head(user)},sub")
    (user / "app.py").write_text("edited after `git add`\n")
    (user / "later.py").touch()
    git(user, "add", "--intent-to-add", "later.py")
    before = fingerprint(user)
    assert staged_change(user) == Change(
        (
            FileChange("app.py", b"one\n", b"two\n", REGULAR, REGULAR),
            FileChange("lib/x.py", b"x\n", None, REGULAR, 0),
            FileChange("link", None, b"app.py", 0, SYMLINK),
            FileChange("run.sh", None, b"run\n", 0, EXECUTABLE),
            FileChange("sub", None, f"Subproject commit {head(user)}\n".encode(), 0, GITLINK),
        )
    )
    assert fingerprint(user) == before


def test_the_index_of_a_partial_commit_is_read(user: Path, tmp_path: Path) -> None:
    """`git commit -a` and `git commit PATH` name theirs to the hook."""
    other = tmp_path / "other-index"
    other.write_bytes((user / ".git" / "index").read_bytes())
    (user / "new.py").write_text("new\n")
    git(user, "add", "--all")
    assert staged_change(user).paths == ("new.py",)
    assert StagedRepository(str(user), str(other)).change().paths == ()


def test_the_repository_is_seen_as_it_will_be(user: Path) -> None:
    (user / "new.py").write_text("new\n")
    (user / "app.py").write_text("two\n")
    git(user, "add", "--all")
    git(user, "rm", "--quiet", "lib/x.py")
    (user / "app.py").write_text("edited\n")
    (user / "untracked.py").touch()
    staged = StagedRepository.find(str(user))
    assert (staged.tracked(), staged.untracked()) == (("app.py", "new.py"), ())
    assert staged.texts(["app.py", "new.py", "lib/x.py"]) == {"app.py": "two\n", "new.py": "new\n"}


def test_a_name_that_is_not_utf8_is_part_of_no_change(user: Path) -> None:
    Path(os.fsdecode(os.fsencode(user) + b"/\xff.py")).touch()
    git(user, "add", "--all")
    assert staged_change(user) == Change((), (("\\xff.py", "its name is not UTF-8"),))


def test_an_object_that_a_change_lacks_is_named(user: Path) -> None:
    (user / "app.py").write_text("two\n")
    git(user, "add", "app.py")
    blob = git(user, "rev-parse", ":app.py")
    (user / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(UsageError, match=f"lacks the object {blob}"):
        staged_change(user)


def test_of_a_merge_only_what_neither_side_has_is_a_change(user: Path) -> None:
    """What the other branch committed is not work of whoever concludes the merge."""
    for branch, text in (("side", "side\n"), ("main", "main\n")):
        git(user, "checkout", "--quiet", *(["-b"] if branch == "side" else []), branch)
        (user / "app.py").write_text(text)
        (user / f"{branch}.py").write_text(text)
        if branch == "side":
            git(user, "rm", "--quiet", "lib/x.py")
        git(user, "add", "--all")
        git(user, "commit", "--quiet", f"--message={branch}")
    git(user, "merge", "side", check=False)
    (user / "app.py").write_text("both\n")
    git(user, "add", "app.py")
    assert staged_change(user).files == (FileChange("app.py", b"main\n", b"both\n", REGULAR, REGULAR),)
    (user / "side.py").write_text("side, edited\n")
    git(user, "add", "side.py")
    assert staged_change(user).paths == ("app.py", "side.py")
