"""Only files of the tree are read, whatever a report or a link in the tree says."""

import os
from pathlib import Path

import pytest

from reknit.app.issues.working_tree import MOST_BYTES, WorkingTree


@pytest.fixture
def tree(tmp_path: Path) -> WorkingTree:
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("a = 1\n")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("secret")
    (tmp_path / "outside.py").write_text("secret")
    (root / "link.py").symlink_to("src/a.py")
    (root / "out.py").symlink_to("../outside.py")
    (root / "folder").symlink_to("src")
    (root / "away").symlink_to(tmp_path)
    (root / "loop").symlink_to("loop")
    return WorkingTree(str(root))


@pytest.mark.parametrize(
    ("path", "own"),
    [
        pytest.param("src/a.py", "src/a.py", id="a file"),
        pytest.param("src/../src/a.py", "src/a.py", id="a way round"),
        pytest.param("link.py", "src/a.py", id="a link to a file of the tree is that file"),
        pytest.param("folder/a.py", "src/a.py", id="through a linked folder"),
        pytest.param("gone.py", "gone.py", id="a file that is not there"),
        pytest.param("..foo/a.py", "..foo/a.py", id="a name that begins with dots"),
        pytest.param("out.py", None, id="a link that leads out"),
        pytest.param("away/outside.py", None, id="through a folder that leads out"),
        pytest.param("../outside.py", None, id="beside the tree"),
        pytest.param("../../etc/passwd", None, id="far away"),
        pytest.param("/etc/passwd", None, id="absolute"),
        pytest.param(".git/config", None, id="what git keeps"),
        pytest.param("", None, id="the root itself"),
        pytest.param("a\0.py", None, id="no name at all"),
    ],
)
def test_a_path_is_of_the_tree_or_of_nothing(tree: WorkingTree, path: str, own: str | None) -> None:
    assert tree.own(path) == own


def test_a_file_is_read_by_its_own_path_only(tree: WorkingTree) -> None:
    assert tree.read("src/a.py") == b"a = 1\n"
    paths = (
        "link.py",
        "out.py",
        "away/outside.py",
        "../outside.py",
        ".git/config",
        "gone.py",
        "src",
        "loop",
        "src/a.py/x",
    )
    for path in paths:
        assert tree.read(path) is None, path


def test_what_is_no_plain_file_or_too_large_is_not_read(tree: WorkingTree) -> None:
    os.mkfifo(Path(tree.root, "pipe"))
    assert tree.read("pipe") is None
    large = Path(tree.root, "large")
    with large.open("wb") as file:
        file.truncate(MOST_BYTES)
    assert len(tree.read("large") or b"") == MOST_BYTES
    with large.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    assert tree.read("large") is None


def test_a_file_is_there_or_not(tree: WorkingTree) -> None:
    assert tree.has("src/a.py")
    assert tree.has("loop")
    assert not tree.has("gone.py")
