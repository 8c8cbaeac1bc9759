"""Reports become issues: what is taken in, what is left out, and what stays the same issue."""

import json
from pathlib import Path

import pytest

from reknit.app.installation import Installation
from reknit.app.issues.import_reports import ImportRequest, import_reports
from reknit.app.issues.ledger import open_backlog
from reknit.core.issues.import_summary import SkippedResults
from reknit.core.issues.model import ChangeNote
from tests.tools.plot import ODD, SOURCE, git, make_plot, ruff
from tests.tools.report_taking import counted, issues, sarif, taken


@pytest.fixture
def plot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return make_plot(tmp_path)


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(tmp_path / "state", f"sqlite:///{tmp_path}/state/reknit.sqlite", {})


def test_what_ruff_says_becomes_issues_once(installation: Installation, plot: Path) -> None:
    assert counted(taken(installation, plot, ruff(plot))) == (4, 0, 0)
    assert [(one.name, one.path, one.line, one.rule) for one in issues(installation, plot)] == [
        ("I-1", "src/area.py", 1, "F401"),
        ("I-2", "src/area.py", 2, "F401"),
        ("I-3", "src/area.py", 6, "F841"),
        ("I-4", ODD, 1, "F401"),
    ]
    before = issues(installation, plot)
    again = taken(installation, plot, ruff(plot))
    assert (counted(again), again.count.number, again.skipped) == ((0, 4, 0), 2, ())
    assert [one.fingerprint for one in issues(installation, plot)] == [one.fingerprint for one in before]


def test_moved_lines_and_renamed_files_keep_their_issues(installation: Installation, plot: Path) -> None:
    taken(installation, plot, ruff(plot))
    (plot / "src" / "area.py").write_text('"""Areas."""\n\n' + SOURCE)
    git(plot, "mv", ODD, "src/size.py")
    report = taken(installation, plot, ruff(plot))
    assert (report.count.new, report.renamed) == (0, 1)
    assert [(one.name, one.path, one.line) for one in issues(installation, plot)] == [
        ("I-1", "src/area.py", 3),
        ("I-2", "src/area.py", 4),
        ("I-3", "src/area.py", 8),
        ("I-4", "src/size.py", 1),
    ]


def test_two_formats_of_one_tool_are_one_issue_each(installation: Installation, plot: Path) -> None:
    taken(installation, plot, ruff(plot))
    assert taken(installation, plot, ruff(plot, form="sarif")).count.new == 0
    assert [one.tools for one in issues(installation, plot)] == [("ruff",)] * 4


def test_one_problem_of_two_tools_is_one_issue_with_two_sources(installation: Installation, plot: Path) -> None:
    pylint = sarif(plot, [("unused-import", "src/area.py", 1)], tool="pylint", message="Unused import os")
    assert counted(taken(installation, plot, ruff(plot))) == (4, 0, 0)
    assert taken(installation, plot, pylint).count.new == 0
    (first, *_) = issues(installation, plot)
    assert [(source.tool, source.rule) for source in first.sources] == [("ruff", "F401"), ("pylint", "unused-import")]


def test_so_it_is_when_both_are_in_one_import(installation: Installation, plot: Path) -> None:
    pylint = sarif(plot, [("unused-import", "src/area.py", 1)], tool="pylint", message="Unused import os")
    report = taken(installation, plot, ruff(plot), pylint)
    assert (report.results, report.count.new, report.count.number) == (5, 4, 1)
    assert [read.tools for read in report.reports] == [("ruff",), ("pylint",)]
    assert {frozenset(one.tools) for one in issues(installation, plot)} == {
        frozenset({"ruff"}),
        frozenset({"ruff", "pylint"}),
    }


def test_what_is_not_in_the_repository_is_left_out_and_told(
    installation: Installation, plot: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.py").write_text("password = 1\n")
    (plot / "link.py").symlink_to("../secret.py")
    (plot / "same.py").symlink_to("src/area.py")
    results = [
        ("R1", "../../etc/passwd", 1), ("R2", "/etc/passwd", 1), ("R3", "link.py", 1), ("R4", ".git/config", 1),
        ("R5", "", 0), ("R6", "same.py", 1), ("R7", "src/area.py", 1), ("R7", "src/area.py", 1),
    ]  # fmt: skip
    report = taken(installation, plot, sarif(plot, results))
    assert report.skipped == (
        SkippedResults("outside", 4, "../../etc/passwd"),
        SkippedResults("no file", 1, "R5 is broken"),
        SkippedResults("twice", 1),
    )
    assert [(one.rule, one.path) for one in issues(installation, plot)] == [
        ("R6", "src/area.py"),
        ("R7", "src/area.py"),
    ]


def test_a_file_that_is_gone_or_binary_still_has_its_issues(installation: Installation, plot: Path) -> None:
    (plot / "data.bin").write_bytes(b"\0\1\2\n" * 10)
    report = sarif(plot, [("R1", "gone.py", 3), ("R2", "data.bin", 2), ("R3", "src/area.py", 999)])
    assert counted(taken(installation, plot, report)) == (3, 0, 0)
    (plot / "data.bin").write_bytes(b"\0\3\4\n" * 10)  # it has no lines that could be another one's
    assert counted(taken(installation, plot, report)) == (0, 3, 0)


def test_what_a_tool_no_longer_says_is_absent(installation: Installation, plot: Path) -> None:
    taken(installation, plot, ruff(plot))
    (plot / ODD).write_text("x = 1\n")
    taken(installation, plot, ruff(plot))
    assert [one.baseline for one in issues(installation, plot)] == ["unchanged", "unchanged", "unchanged", "absent"]


def test_an_empty_report_says_that_its_tool_looked(installation: Installation, plot: Path) -> None:
    taken(installation, plot, sarif(plot, [("R1", "src/area.py", 1)]))
    report = taken(installation, plot, sarif(plot, []))
    assert (report.results, report.reports[0].tools) == (0, ("tidy",))
    assert [one.baseline for one in issues(installation, plot)] == ["absent"]


def test_a_tool_that_did_not_look_at_everything_makes_nothing_absent(installation: Installation, plot: Path) -> None:
    taken(installation, plot, sarif(plot, [("R1", "src/area.py", 1), ("R2", "src/area.py", 2)]))
    elsewhere = sarif(plot, [("R1", "/home/ci/build/src/area.py", 1)])
    assert taken(installation, plot, elsewhere).skipped == (SkippedResults("outside", 1, "/home/ci/build/src/area.py"),)
    assert [one.baseline for one in issues(installation, plot)] == ["new", "new"]
    broken = sarif(plot, [("R1", "src/area.py", 1)])
    log = json.loads(broken.read_text())
    log["runs"][0]["invocations"] = [{"executionSuccessful": False}]
    broken.write_text(json.dumps(log))
    assert taken(installation, plot, broken).notes == ("tidy did not finish successfully",)
    assert [one.baseline for one in issues(installation, plot)] == ["unchanged", "new"]


def test_what_is_ignored_silences_no_other_problem_at_its_place(installation: Installation, plot: Path) -> None:
    taken(installation, plot, sarif(plot, [("R1", "src/area.py", 1)], message="may be None"))
    open_backlog(installation, plot).ledger.change([1], "IGNORED", ChangeNote("ada", "false", 1.0))
    report = taken(installation, plot, sarif(plot, [("R1", "src/area.py", 1)], message="remote code execution"))
    assert report.count.new == 1
    assert [(one.status, one.message) for one in issues(installation, plot)] == [
        ("IGNORED", "may be None"), ("OPEN", "remote code execution"),
    ]  # fmt: skip


def test_a_resolved_issue_that_is_seen_where_its_commit_landed_is_open_again(
    installation: Installation, plot: Path
) -> None:
    taken(installation, plot, ruff(plot))
    head, note = git(plot, "rev-parse", "HEAD").strip(), "w"
    ledger = open_backlog(installation, plot).ledger
    ledger.take("r-1", [1, 2], ChangeNote("ada", note, 1.0, "r-1"))
    ledger.settle("r-1", [1], "RESOLVED", ChangeNote("ada", note, 1.0, "r-1", head))
    ledger.settle("r-1", [2], "RESOLVED", ChangeNote("ada", note, 1.0, "r-1", "c" * 40))
    assert taken(installation, plot, ruff(plot)).count.reopened == 1
    assert [one.status for one in issues(installation, plot)][:2] == ["OPEN", "RESOLVED"]
    assert [change.new for change in ledger.history(1)][-2:] == ["RESOLVED", "OPEN"]


def test_an_ignored_issue_stays_so_and_a_merged_one_comes_back(installation: Installation, plot: Path) -> None:
    taken(installation, plot, ruff(plot))
    ledger, note = open_backlog(installation, plot).ledger, ChangeNote("ada", "w", 1.0, "r-1", "c" * 40)
    ledger.change([1], "IGNORED", note)
    ledger.take("r-1", [2], note)
    ledger.settle("r-1", [2], "RESOLVED", note)
    ledger.mark_merged("c" * 40, "https://forge/pull/1", note)
    report = taken(installation, plot, ruff(plot))
    assert report.count.reopened == 1
    assert [one.status for one in issues(installation, plot)] == ["IGNORED", "OPEN", "OPEN", "OPEN"]


def test_many_files_go_in_by_parts(installation: Installation, plot: Path) -> None:
    results = [(f"R{number % 7}", f"src/f{number % 1_300}.py", number + 1) for number in range(4_000)]
    report = sarif(plot, results)
    assert counted(taken(installation, plot, report)) == (4_000, 0, 0)
    assert counted(taken(installation, plot, report)) == (0, 4_000, 0)


def test_a_tool_that_ran_in_a_folder_names_paths_from_there(installation: Installation, plot: Path) -> None:
    report = sarif(plot, [("R1", "area.py", 1)])
    backlog = open_backlog(installation, plot / "src")
    import_reports(installation, backlog, ImportRequest((str(report),)))
    assert [one.path for one in issues(installation, plot)] == ["src/area.py"]


def test_a_report_of_another_machine_is_taken_with_its_root(installation: Installation, plot: Path) -> None:
    report = sarif(plot, [("R1", "/ci/work/plot/src/area.py", 1)])
    assert taken(installation, plot, report).skipped == (SkippedResults("outside", 1, "/ci/work/plot/src/area.py"),)
    assert taken(installation, plot, report, root="/ci/work/plot").count.new == 1
    assert [one.path for one in issues(installation, plot)] == ["src/area.py"]
