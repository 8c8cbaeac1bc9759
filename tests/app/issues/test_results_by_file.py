"""A path in a report means a file of the repository, or none; whichever way the tool wrote it."""

from pathlib import Path

import pytest

from reknit.app.issues.results_by_file import ResultsByFile
from reknit.app.issues.working_tree import WorkingTree
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
    assert pile.put([ReportResult("t", "r", given, message="m")]) == 1
    assert list(pile.by_path) == ([expected] if expected else [])
    left = SkippedResults("outside", 1, given) if path else SkippedResults("no file", 1, "m")
    assert pile.left_out == (() if expected else (left,))


def test_what_is_left_out_is_counted_with_its_first_example(root: Path) -> None:
    pile = ResultsByFile(WorkingTree(str(root)), str(root))
    assert pile.put(ReportResult("t", "r", path) for path in ("/a", "setup.py", "/b", "setup.py")) == 4
    pile.leave_out("stranger", 0)
    assert pile.left_out == (SkippedResults("outside", 2, "/a"),)
    assert [len(found) for found in pile.by_path.values()] == [2]


def test_a_secret_that_a_tool_printed_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    pile = ResultsByFile(WorkingTree(str(tmp_path)), str(tmp_path))
    secret = "ghp_" + "a1" * 18
    plain = ReportResult("scan", "secret", "a.py", 1, 1, "a key", suggestion="take it out")
    shown = ReportResult(
        "scan", f"r/{secret}", "a.py", 1, 1, f"found {secret}", suggestion=f"not {secret}", url=f"u?{secret}"
    )
    assert pile.put([plain, shown]) == 2
    first, second = pile.by_path["a.py"]
    assert first is plain
    assert secret not in second.rule + second.message + second.suggestion + second.url
    assert "[GitHub token redacted]" in second.message


def test_a_secret_in_an_example_of_what_is_left_out_is_not_shown(tmp_path: Path) -> None:
    secret = "ghp_" + "a1" * 18
    pile = ResultsByFile(WorkingTree(str(tmp_path)), str(tmp_path))
    pile.put(
        [
            ReportResult("scan", "secret", "", message=f"found {secret}"),
            ReportResult("scan", "secret", f"/etc/{secret}"),
        ]
    )
    assert [left.example for left in pile.left_out] == ["found [GitHub token redacted]", "/etc/[GitHub token redacted]"]


def test_files_that_are_not_there_are_counted(root: Path) -> None:
    pile = ResultsByFile(WorkingTree(str(root)), str(root))
    pile.put(
        ReportResult("t", "r", path) for path in ("gone.py", "setup.py", "./gone.py", "old/gone.py", "/elsewhere.py")
    )
    assert pile.not_here() == {"gone.py": 2, "old/gone.py": 1}
