"""One issue with all that is known, and what to do next."""

import json
from typing import Any

import pytest

from reknit.core.issues.import_summary import ImportCount, ImportReport, ReportSummary, SkippedResults, UnknownFiles
from reknit.core.issues.model import IssueSource
from reknit.core.issues.output.detail import build_detail_document, build_issue_document, render_issue
from reknit.core.issues.output.import_messages import build_import_document
from tests.tools.issue_samples import FLAKE8, MESSAGE, RUFF, changed, issue

HOSTILE = "\x1b[31mred\x1b[0m\nsecond line\u202e"
RED = "tests/t.py::test_a[x y]"


def test_show_says_everything() -> None:
    whole = issue(
        42, status="RESOLVED", sources=(RUFF, FLAKE8), suggestion="Remove it", effort_1_5=2, files=3, run_id="r-7f3a",
        commit="c" * 40, pull="https://forge/pull/4", baseline="updated", duplicate_of=7, label="SEC-001",
    )  # fmt: skip
    history = [
        changed(None, "OPEN"),
        changed("IN_PROGRESS", "RESOLVED", author="reknit", why="its file\nis in it", run_id="r-7f3a", commit="c" * 40),
    ]
    lines = [(2, "import sys"), (3, "\timport os  "), (4, "")]
    assert render_issue(whole, history, lines, lambda at: f"at {at:g}").splitlines() == [
        "I-42  RESOLVED  important  src/a.py:3:8",
        f"  ruff F401   {MESSAGE}   {RUFF.url}",
        "  flake8 F401   'os' imported but unused",
        "  label    SEC-001",
        "  suggest  Remove it",
        "  work     6 points: effort 2 of 5, 3 files",
        "  seen     in the newest report of its tools; it moved or its text changed",
        "  same as  I-7",
        "  run      r-7f3a",
        f"  commit   {'c' * 40}",
        "  pull     https://forge/pull/4",
        "  of       github.com/acme/shop",
        f"  id       {42:032x}",
        "",
        "    2  import sys",
        "  > 3      import os",
        "    4",
        "",
        "  at 1000  OPEN                     ada: ruff found it",
        "  at 1000  IN_PROGRESS → RESOLVED   reknit: its file is in it   r-7f3a   cccccccccccc",
        "  next     reknit issues sync",
        "           reknit show r-7f3a",
    ]


def test_show_leaves_out_what_is_not_known() -> None:
    lines = render_issue(issue(1, line=0), [changed(None, "OPEN")], [], str).splitlines()
    assert lines[0] == "I-1  OPEN  important  src/a.py"
    assert "  work     3 points, not estimated" in lines
    assert not any(line.startswith(("  suggest", "  run", "  commit", "  pull", "  same as")) for line in lines)


def test_show_cuts_lines_of_code_at_the_edge_of_the_terminal() -> None:
    text = render_issue(issue(1), [], [(3, "x" * 500)], str, 60)
    assert [len(line) for line in text.splitlines() if "xxx" in line] == [60]
    assert "\x1b" not in render_issue(issue(1, message=HOSTILE), [], [(3, HOSTILE)], str)


@pytest.mark.parametrize(
    ("facts", "steps"),
    [
        pytest.param({}, ["reknit fix issues", "reknit issues ignore I-1 --why TEXT"], id="open"),
        pytest.param(
            {"status": "FAILED", "run_id": "r-1"},
            ["reknit fix issues --again", "reknit issues ignore I-1 --why TEXT", "reknit show r-1"],
            id="failed",
        ),
        pytest.param(
            {"rule": RED, "sources": (IssueSource("pytest", RED, "m"),)},
            ["reknit fix tests 'tests/t.py::test_a[x y]'", "reknit issues ignore I-1 --why TEXT"],
            id="a test is repaired as one",
        ),
        pytest.param(
            {"sources": (RUFF, IssueSource("junit", f"{'x' * 183}~{'0f' * 8}", "m")), "status": "FAILED"},
            ["reknit fix tests", "reknit issues ignore I-1 --why TEXT"],
            id="a test whose id was cut",
        ),
        pytest.param(
            {"sources": (IssueSource("jest", "a\nb", "m"),)},
            ["reknit fix tests", "reknit issues ignore I-1 --why TEXT"],
            id="a test whose id is no word",
        ),
        pytest.param(
            {"sources": (IssueSource("vitest", "unnamed", "m"),)},
            ["reknit fix tests", "reknit issues ignore I-1 --why TEXT"],
            id="a test without a name",
        ),
        pytest.param(
            {"sources": (IssueSource("pytest", "--box=host", "m"),)},
            ["reknit fix tests", "reknit issues ignore I-1 --why TEXT"],
            id="a test whose id is an option",
        ),
        pytest.param({"baseline": "absent"}, ["reknit issues ignore I-1 --why TEXT"], id="absent: no run takes it"),
        pytest.param({"status": "IGNORED"}, ["reknit issues reopen I-1"], id="ignored"),
        pytest.param({"status": "IN_PROGRESS", "run_id": "r-1"}, ["reknit show r-1"], id="in progress"),
        pytest.param({"status": "MERGED"}, [], id="merged"),
    ],
)
def test_show_ends_with_what_can_be_done(facts: dict[str, Any], steps: list[str]) -> None:
    lines = render_issue(issue(1, **facts), [], [], str).splitlines()
    found = [line[11:] for line in lines if line.startswith(("  next", " " * 11))]
    assert found == steps


def test_what_no_run_may_change_is_told_and_no_run_is_suggested() -> None:
    why = "in tests, which a fix may not change"
    lines = render_issue(issue(1), [], [], str, left_out=why).splitlines()
    assert f"  no fix   {why}" in lines
    assert lines[-1] == "  next     reknit issues ignore I-1 --why TEXT"
    settled = render_issue(issue(1, status="RESOLVED"), [], [], str, left_out=why)
    red = render_issue(issue(1, sources=(IssueSource("pytest", RED, "m"),)), [], [], str, left_out=why)
    assert why not in settled + red
    assert "reknit fix tests" in red


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        pytest.param({"effort_1_5": 1, "files": 1}, "1 point: effort 1 of 5, 1 file", id="one of each"),
        pytest.param({"effort_1_5": 2}, "2 points: effort 2 of 5", id="only effort"),
        pytest.param({"files": 4}, "12 points: 4 files", id="only files"),
    ],
)
def test_work_is_told_as_far_as_it_is_estimated(facts: dict[str, int], told: str) -> None:
    assert f"  work     {told}" in render_issue(issue(1, **facts), [], [], str).splitlines()


def test_a_message_keeps_its_lines_and_is_wrapped_between_words() -> None:
    said = "AssertionError: two\n    deep and so on and so forth and on\n\nassert 6 == 7"
    red = issue(1, sources=(IssueSource("pytest", RED, said),))
    lines = render_issue(red, [], [], str, 40).splitlines()
    assert lines[1:7] == [
        f"  pytest {RED}",
        "      AssertionError: two",
        "          deep and so on and so forth",
        "          and on",
        "",
        "      assert 6 == 7",
    ]
    assert "  seen     for the first time in the\n           newest report" in "\n".join(lines)
    assert f"  id       {1:032x}" in lines


def test_a_long_line_leaves_an_address_whole() -> None:
    assert f"      {RUFF.url}" in render_issue(issue(1), [], [], str, 60).splitlines()


def report(new: int = 36, seen: int = 2, **facts: Any) -> ImportReport:
    reports = facts.pop("reports", (ReportSummary("ruff.json", ("ruff",), 38),))
    counted = ImportCount(4, new, seen, facts.pop("updated", 0), facts.pop("again", 0), facts.pop("unmerged", ()))
    return ImportReport(reports, counted, **facts)


def test_documents_have_every_fact_and_null_for_what_is_unknown() -> None:
    document = build_issue_document(issue(1, duplicate_of=3))
    assert (document["issue"], document["duplicate_of"], document["effort"], document["workload"]) == (
        "I-1",
        "I-3",
        None,
        3,
    )
    assert document["sources"] == [{"tool": "ruff", "rule": "F401", "message": MESSAGE, "url": RUFF.url}]
    assert (document["run"], document["commit"], build_issue_document(issue(1))["duplicate_of"]) == (None, None, None)
    assert (build_issue_document(issue(1, label="SEC-001"))["label"], document["label"]) == ("SEC-001", None)
    shown = build_detail_document(issue(1), [changed("OPEN", "IGNORED")], [(3, "import os")])
    assert shown["history"] == [
        {
            "from": "OPEN",
            "to": "IGNORED",
            "who": "ada",
            "why": "ruff found it",
            "at": 1000.0,
            "run": None,
            "commit": None,
        }
    ]
    assert shown["excerpt"] == [{"line": 3, "text": "import os"}]
    assert json.loads(json.dumps(shown))["schema"] == 1


def test_an_import_is_a_document() -> None:
    document = build_import_document(
        report(updated=1, skipped=(SkippedResults("outside", 2, "/x"),), notes=("n",)), "/srv/shop"
    )
    assert (document["new"], document["known"], document["updated"], document["results"]) == (36, 3, 1, 38)
    assert document["left_out"] == [{"why": "outside", "count": 2, "example": "/x"}]
    assert document["reports"] == [{"name": "ruff.json", "tools": ["ruff"], "results": 38}]
    assert (document["import"], document["repository"], document["partial"]) == (4, "/srv/shop", ["n"])


def test_what_a_run_did_to_an_issue_is_in_the_document() -> None:
    done = issue(7, status="RESOLVED", run_id="r-1", commit="c" * 40, pull="12", effort_1_5=2, files=3)
    document = build_issue_document(done)
    assert (document["run"], document["commit"], document["pull"]) == ("r-1", "c" * 40, "12")
    assert (document["effort"], document["files"]) == (2, 3)
    history = build_detail_document(done, [changed("OPEN", "IN_PROGRESS", run_id="r-1")], [])["history"]
    assert isinstance(history, list)
    assert (history[0]["run"], history[0]["commit"]) == ("r-1", None)


def test_an_import_that_missed_nothing_says_so_to_programs() -> None:
    document = build_import_document(report(), "/srv/shop")
    assert (document["not_here"], document["unmerged"], document["absent"], document["left_out"]) == (None, [], 0, [])
    lost = report(unknown_files=UnknownFiles(2, 1, "a.py"))
    assert build_import_document(lost, "/srv/shop")["not_here"] == {
        "results": 2, "files": 1, "example": "a.py", "root": None,
    }  # fmt: skip
