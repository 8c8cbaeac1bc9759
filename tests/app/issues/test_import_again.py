"""Reports of what is known already: fixes that landed or did not, what is absent, and files that went elsewhere."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.app.installation import Installation
from reknit.app.issues.import_reports import ImportRequest, import_reports
from reknit.app.issues.ledger import open_backlog
from reknit.core.issues.import_summary import AbsentIssues, UnknownFiles
from reknit.core.issues.model import ChangeNote
from reknit.core.issues.output.import_messages import render_import
from tests.tools.plot import ODD, SOURCE, git, make_plot, ruff
from tests.tools.report_taking import counted, issues, sarif, taken


@pytest.fixture
def plot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return make_plot(tmp_path)


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(tmp_path / "state", f"sqlite:///{tmp_path}/state/reknit.sqlite", {})


def resolved_on_a_branch(installation: Installation, plot: Path) -> str:
    """A run changed the files of the four issues, and their problems are still there: its commit."""
    taken(installation, plot, ruff(plot))
    git(plot, "switch", "--quiet", "--create", "reknit/r-1")
    (plot / "src" / "area.py").write_text(f"{SOURCE}\n\nMETRES = 1\n")
    (plot / ODD).write_text("import json\n\n\nMETRES = 1\n")
    git(plot, "commit", "--quiet", "--all", "--message=fix")
    commit, note = git(plot, "rev-parse", "HEAD"), ChangeNote("ada", "w", 1.0, "r-1")
    git(plot, "switch", "--quiet", "-")
    ledger = open_backlog(installation, plot).ledger
    ledger.take("r-1", [1, 2, 3, 4], note)
    ledger.settle("r-1", [1, 2, 3, 4], "RESOLVED", replace(note, commit=commit))
    return commit


@pytest.mark.parametrize(
    "way",
    [
        pytest.param(
            (("merge", "--quiet", "--squash", "reknit/r-1"), ("commit", "--quiet", "--message=x")), id="squash"
        ),
        pytest.param((("commit", "--quiet", "--allow-empty", "--message=x"), ("cherry-pick", "reknit/r-1")), id="pick"),
    ],
)
def test_a_fix_that_came_in_another_way_has_landed(
    installation: Installation, plot: Path, way: tuple[tuple[str, ...], ...]
) -> None:
    commit = resolved_on_a_branch(installation, plot)
    for arguments in way:
        git(plot, *arguments)
    (plot / ODD).write_text("import json\n\n\nMETRES = 2\n")
    git(plot, "commit", "--quiet", "--all", "--message=one of the files is edited since")
    assert open_backlog(installation, plot).repository.in_head_history([commit]) == ()
    count = taken(installation, plot, ruff(plot)).count
    assert (count.reopened, count.unmerged) == (3, (4,))
    assert [one.status for one in issues(installation, plot)] == ["OPEN", "OPEN", "OPEN", "RESOLVED"]


def test_a_fix_whose_branch_is_gone_is_told_while_it_is_still_reported(installation: Installation, plot: Path) -> None:
    resolved_on_a_branch(installation, plot)
    git(plot, "branch", "-D", "reknit/r-1")
    report = taken(installation, plot, ruff(plot))
    assert (report.count.reopened, report.count.unmerged) == (0, (1, 2, 3, 4))
    assert "`reknit issues reopen I-1 I-2 I-3 I-4`" in "\n".join(render_import(report))


def test_what_a_report_no_longer_names_is_told(installation: Installation, plot: Path) -> None:
    report = ruff(plot)
    assert taken(installation, plot, report).absent == ()
    every = json.loads(report.read_text())
    report.write_text(json.dumps([one for one in every if not one["filename"].endswith("area.py")]))
    (absent,) = taken(installation, plot, report).absent
    assert (absent, absent.looks_partial) == (AbsentIssues("ruff", 3, still_reported=1, files=2, files_now=1), True)
    assert taken(installation, plot, report).absent == ()


def test_a_changed_neighbour_is_no_change_of_an_issue(installation: Installation, plot: Path) -> None:
    taken(installation, plot, ruff(plot))
    area = plot / "src" / "area.py"
    area.write_text(SOURCE.replace("width * height", "height * width"))
    assert counted(taken(installation, plot, ruff(plot))) == (0, 4, 0)
    area.write_text("import re\n" + area.read_text().replace("height * width", "re.compile(width)"))
    assert counted(taken(installation, plot, ruff(plot))) == (0, 1, 3)


def test_a_report_from_a_folder_is_taken_and_its_root_is_guessed(installation: Installation, plot: Path) -> None:
    report = sarif(plot, [("R1", "area.py", 1), ("R2", "area.py", 2), ("R3", "gone.py", 1)])
    assert taken(installation, plot, report).unknown_files == UnknownFiles(3, 2, "area.py", "src")
    assert taken(installation, plot, report, root=str(plot / "src")).unknown_files == UnknownFiles(1, 1, "src/gone.py")
    (plot / "docs").mkdir()
    backlog = open_backlog(installation, plot / "docs")
    assert import_reports(installation, backlog, ImportRequest((str(report),))).unknown_files == UnknownFiles(
        3, 2, "area.py", "../src"
    )
    assert taken(installation, plot, ruff(plot)).unknown_files is None


def test_a_file_that_was_moved_without_git_keeps_its_issues(installation: Installation, plot: Path) -> None:
    taken(installation, plot, ruff(plot))
    (plot / "src" / "area.py").rename(plot / "src" / "space.py")
    report = taken(installation, plot, ruff(plot))
    assert (report.count.new, report.renamed) == (0, 1)
    assert [one.path for one in issues(installation, plot)] == ["src/space.py"] * 3 + [ODD]


def test_one_of_two_files_with_the_same_content_is_not_guessed(installation: Installation, plot: Path) -> None:
    taken(installation, plot, ruff(plot))
    for name in ("space.py", "room.py"):
        (plot / "src" / name).write_text(SOURCE)
    (plot / "src" / "area.py").unlink()
    report = taken(installation, plot, ruff(plot))
    assert (report.count.new, report.renamed) == (6, 0)


def test_a_moved_file_that_was_edited_too_is_another_one(installation: Installation, plot: Path) -> None:
    taken(installation, plot, ruff(plot))
    (plot / "src" / "area.py").unlink()
    (plot / "src" / "space.py").write_text(f"{SOURCE}\n")
    assert taken(installation, plot, ruff(plot)).count.new == 3
