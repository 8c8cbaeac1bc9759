"""A path in a report means a file of the repository, or none; whichever way the tool wrote it."""

import os
from pathlib import Path

import pytest

from reknit.app.issues.results_by_file import MAX_FILE_BYTES, ResultsByFile, WorkingTree
from reknit.core.issues.import_summary import SkippedResults
from reknit.core.issues.model import ReportResult


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for path in ("setup.py", "api/setup.py", "api/app/views.py", "web/index.ts"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x\n")
    (tmp_path / "linked").symlink_to(root)
    (tmp_path / "beside.py").write_text("x\n")
    return root


@pytest.mark.parametrize(
    ("path", "folder", "named", "expected"),
    [
        pytest.param("api/app/views.py", "", "", "api/app/views.py", id="from the root"),
        pytest.param("./api/../setup.py", "", "", "setup.py", id="with dots"),
        pytest.param("{root}/setup.py", "", "", "setup.py", id="absolute"),
        pytest.param("file://{root}/web/index.ts", "", "", "web/index.ts", id="an address"),
        pytest.param("{root}/../linked/setup.py", "", "", "setup.py", id="absolute through a link to the root"),
        pytest.param("app/views.py", "api", "", "api/app/views.py", id="from here, where it is only here"),
        pytest.param("setup.py", "api", "", "setup.py", id="from the root, where it is in both"),
        pytest.param("setup.py", "", "{root}/api", "api/setup.py", id="from the folder that was named"),
        pytest.param("app/new.py", "", "{root}/api", "api/app/new.py", id="also when it is not there"),
        pytest.param("/ci/work/setup.py", "", "/ci/work", "setup.py", id="from a checkout on another machine"),
        pytest.param("web/index.ts", "", "/ci/work", "web/index.ts", id="relative to it"),
        pytest.param("gone.py", "api", "", "gone.py", id="nowhere: from the root"),
        pytest.param("/ci/work/setup.py", "", "", None, id="a checkout that was not named"),
        pytest.param("../beside.py", "", "", None, id="beside the repository"),
        pytest.param("{root}/../beside.py", "", "", None, id="absolute beside it"),
        pytest.param("https://example.test/a.py", "", "", None, id="on the web"),
        pytest.param("", "", "", None, id="no file"),
    ],
)
def test_a_path_means_a_file(root: Path, path: str, folder: str, named: str, expected: str | None) -> None:
    given = path.replace("{root}", str(root))
    pile = ResultsByFile(WorkingTree(str(root)), str(root / folder), named.replace("{root}", str(root)))
    assert pile.add([ReportResult("t", "r", given, message="m")]) == 1
    assert list(pile.by_path) == ([expected] if expected else [])
    left = SkippedResults("outside", 1, given) if path else SkippedResults("no file", 1, "m")
    assert pile.skipped == (() if expected else (left,))


def test_what_is_left_out_is_counted_with_its_first_example(root: Path) -> None:
    pile = ResultsByFile(WorkingTree(str(root)), str(root))
    assert pile.add(ReportResult("t", "r", path) for path in ("/a", "setup.py", "/b", "setup.py")) == 4
    pile.skip("stranger", 0)
    assert pile.skipped == (SkippedResults("outside", 2, "/a"),)
    assert [len(found) for found in pile.by_path.values()] == [2]


def test_a_secret_that_a_tool_printed_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    pile = ResultsByFile(WorkingTree(str(tmp_path)), str(tmp_path))
    secret = "ghp_" + "a1" * 18
    plain = ReportResult("scan", "secret", "a.py", 1, 1, "a key", suggestion="take it out")
    shown = ReportResult(
        "scan", f"r/{secret}", "a.py", 1, 1, f"found {secret}", suggestion=f"not {secret}", url=f"u?{secret}"
    )
    assert pile.add([plain, shown]) == 2
    first, second = pile.by_path["a.py"]
    assert first is plain
    assert secret not in second.rule + second.message + second.suggestion + second.url
    assert "[GitHub token redacted]" in second.message


def test_a_secret_in_an_example_of_what_is_left_out_is_not_shown(tmp_path: Path) -> None:
    secret = "ghp_" + "a1" * 18
    pile = ResultsByFile(WorkingTree(str(tmp_path)), str(tmp_path))
    pile.add(
        [
            ReportResult("scan", "secret", "", message=f"found {secret}"),
            ReportResult("scan", "secret", f"/etc/{secret}"),
        ]
    )
    assert [left.example for left in pile.skipped] == ["found [GitHub token redacted]", "/etc/[GitHub token redacted]"]


def test_files_that_are_not_there_are_counted(root: Path) -> None:
    pile = ResultsByFile(WorkingTree(str(root)), str(root))
    pile.add(
        ReportResult("t", "r", path) for path in ("gone.py", "setup.py", "./gone.py", "old/gone.py", "/elsewhere.py")
    )
    assert pile.count_missing_files() == {"gone.py": 2, "old/gone.py": 1}


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
    assert tree.resolve(path) == own


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
        file.truncate(MAX_FILE_BYTES)
    assert len(tree.read("large") or b"") == MAX_FILE_BYTES
    with large.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    assert tree.read("large") is None


def test_a_file_is_there_or_not(tree: WorkingTree) -> None:
    assert tree.exists("src/a.py")
    assert tree.exists("loop")
    assert not tree.exists("gone.py")
