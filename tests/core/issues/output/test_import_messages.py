"""What people read when reports come in and go out, and what programs do."""

from typing import Any

import pytest

from reknit.core.issues.import_summary import (
    AbsentIssues,
    ImportCount,
    ImportReport,
    ReportSummary,
    SkippedResults,
    UnknownFiles,
)
from reknit.core.issues.output.import_messages import (
    build_import_document,
    render_export,
    render_import,
    suggest_after_import,
)
from reknit.core.issues.sarif_export import ExportSummary


def report(new: int = 36, seen: int = 2, **facts: Any) -> ImportReport:
    reports = facts.pop("reports", (ReportSummary("ruff.json", ("ruff",), 38),))
    counted = ImportCount(4, new, seen, facts.pop("updated", 0), facts.pop("again", 0), facts.pop("unmerged", ()))
    return ImportReport(reports, counted, **facts)


def test_one_report_is_told_in_one_line() -> None:
    assert render_import(report()) == ["ruff.json: 38 results from ruff: 36 new, 2 known"]


def test_several_reports_are_told_one_by_one_and_together() -> None:
    reads = (ReportSummary("ruff.json", ("ruff",), 1), ReportSummary("a\x1b[1m.sarif", ("x", "y"), 0))
    assert render_import(report(0, 0, reports=reads, updated=1)) == [
        "ruff.json: 1 result from ruff",
        "a.sarif: no results from x, y",
        "1 result: 0 new, 1 known (1 moved or changed)",
    ]


def test_a_report_without_results_is_told_as_such() -> None:
    assert render_import(report(0, 0, reports=(ReportSummary("r.json", ("ruff",), 0),))) == [
        "r.json: no results from ruff"
    ]


def test_what_was_left_out_is_told_with_the_reason() -> None:
    left = (
        SkippedResults("no file", 3),
        SkippedResults("outside", 2, "../../etc/passwd"),
        SkippedResults("stranger", 1),
        SkippedResults("twice", 4),
    )
    assert render_import(report(skipped=left, renamed=2, again=1, notes=("ruff did not finish successfully",)))[1:] == [
        "  left out  3 that name no file",
        "  left out  2 that are outside this repository, e.g. ../../etc/passwd; "
        "`--root` sets the folder that paths are relative to",
        "  left out  1 that come from people who are neither members nor collaborators",
        "  left out  4 that are duplicates",
        "  renamed   2 file(s); their issues moved with them",
        "  again     1 that a merge had settled: OPEN again",
        "  note      ruff did not finish successfully: what is missing from its report may still exist",
    ]


def test_what_its_tool_no_longer_reports_is_told() -> None:
    absent = (
        AbsentIssues("ruff", 2, still_reported=1, files=3, files_now=1),
        AbsentIssues("mypy", 12, still_reported=2, files=9, files_now=2),
    )
    assert render_import(report(absent=absent))[1:] == [
        "  absent    2 that ruff no longer reports",
        "  absent    12 that mypy no longer reports; if it checked only part of the repository, "
        "import a report on all of it",
    ]
    assert build_import_document(report(absent=absent), "/srv/shop")["absent"] == 14


@pytest.mark.parametrize(
    ("unmerged", "line"),
    [
        pytest.param(
            (7,),
            "1 RESOLVED issue is still reported, and its commit is not in HEAD: merge, or `reknit issues reopen I-7`",
            id="one",
        ),
        pytest.param(
            (1, 2, 3, 4, 5, 6),
            "6 RESOLVED issues are still reported, and their commits are not in HEAD: merge, or "
            "`reknit issues reopen I-1 I-2 I-3 I-4 I-5 …`",
            id="more than are named",
        ),
    ],
)  # fmt: skip
def test_what_is_resolved_and_still_reported_is_told(unmerged: tuple[int, ...], line: str) -> None:
    assert render_import(report(unmerged=unmerged))[1:] == [f"  resolved  {line}"]
    assert build_import_document(report(unmerged=unmerged), "/srv/shop")["unmerged"] == [f"I-{one}" for one in unmerged]


def test_files_that_are_not_here_are_told_with_a_way_out() -> None:
    assert render_import(report(unknown_files=UnknownFiles(1, 1, "gone\x1b.py")))[1:] == [
        "  not here  1 result about 1 file(s) that are not in this repository, e.g. gone.py"
    ]
    lost = UnknownFiles(12, 3, "cart.py", "the shop")
    assert render_import(report(unknown_files=lost))[1:] == [
        "  not here  12 results about 3 file(s) that are not in this repository, e.g. cart.py; "
        "did the tool run in the shop? Then add `--root 'the shop'`"
    ]
    assert build_import_document(report(unknown_files=lost), "/srv/shop")["not_here"] == {
        "results": 12, "files": 3, "example": "cart.py", "root": "the shop",
    }  # fmt: skip


def test_an_import_ends_with_the_next_command() -> None:
    next_line = "  next      reknit issues list    "
    assert suggest_after_import({"OPEN": 25, "MERGED": 1}, 12) == f"{next_line}(25 OPEN, 12 of them absent)"
    assert suggest_after_import({"OPEN": 25, "FAILED": 1}, 12) == f"{next_line}(25 OPEN, 12 of them absent; 1 FAILED)"
    assert suggest_after_import({"OPEN": 25, "FAILED": 1}, None) == f"{next_line}(25 OPEN, 1 FAILED)"
    assert suggest_after_import({"FAILED": 1}, 0) == f"{next_line}(1 FAILED)"
    assert suggest_after_import({"OPEN": 3, "MERGED": 1}) == "  next      reknit issues list    (3 OPEN)"
    assert suggest_after_import({"MERGED": 1}) == "  next      nothing is open"


@pytest.mark.parametrize(
    ("written", "more"),
    [
        pytest.param(ExportSummary(1, 5, 5), [], id="small"),
        pytest.param(
            ExportSummary(2, 9_000, 6_000),
            ["GitHub accepts all of it, but shows at most 5,000 results per tool"],
            id="more than is shown",
        ),
        pytest.param(
            ExportSummary(21, 9_000, 6_000),
            [
                "GitHub accepts at most 20 runs of 25,000 results per file, but this file has 21: "
                "filter with `--tool` or `--path`"
            ],
            id="more than is taken",
        ),
    ],
)
def test_an_export_says_what_github_would(written: ExportSummary, more: list[str]) -> None:
    first, *rest = render_export(written, "x.sarif")
    assert first == f"x.sarif: {written.results} results in {written.runs} run(s)"
    assert rest == more
