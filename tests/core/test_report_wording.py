"""What people read when reports come in and go out, and what programs do."""

from typing import Any

import pytest

from reknit.core.import_report import ImportReport, LeftOut, ReportRead
from reknit.core.issue import ImportCount
from reknit.core.issue_documents import import_document
from reknit.core.report_wording import exported, import_lines, import_next
from reknit.core.sarif_export import Written


def report(new: int = 36, seen: int = 2, **facts: Any) -> ImportReport:
    reports = facts.pop("reports", (ReportRead("ruff.json", ("ruff",), 38),))
    counted = ImportCount(4, new, seen, facts.pop("updated", 0), facts.pop("again", 0))
    return ImportReport(reports, counted, **facts)


def test_one_report_is_told_in_one_line() -> None:
    assert import_lines(report()) == ["ruff.json: 38 results of ruff: 36 new, 2 known"]


def test_several_reports_are_told_one_by_one_and_together() -> None:
    reads = (ReportRead("ruff.json", ("ruff",), 1), ReportRead("a\x1b[1m.sarif", ("x", "y"), 0))
    assert import_lines(report(0, 0, reports=reads, updated=1)) == [
        "ruff.json: 1 result of ruff",
        "a.sarif: no results of x, y",
        "1 result: 0 new, 1 known (1 moved or changed)",
    ]


def test_a_report_without_results_is_told_as_such() -> None:
    assert import_lines(report(0, 0, reports=(ReportRead("r.json", ("ruff",), 0),))) == ["r.json: no results of ruff"]


def test_what_was_left_out_is_told_with_the_reason() -> None:
    left = (
        LeftOut("no file", 3),
        LeftOut("outside", 2, "../../etc/passwd"),
        LeftOut("stranger", 1),
        LeftOut("twice", 4),
    )
    assert import_lines(report(left_out=left, renamed=2, again=1, notes=("ruff did not end well",)))[1:] == [
        "  left out  3 that name no file",
        "  left out  2 that are outside of this repository, e.g. ../../etc/passwd; "
        "`--root` names the folder that paths are from",
        "  left out  1 that are by people who are neither members nor collaborators here",
        "  left out  4 that are there twice",
        "  renamed   2 file(s); their issues went along",
        "  again     1 that a merge had settled: OPEN once more",
        "  note      ruff did not end well: what is missing in its report may still be there",
    ]


def test_an_import_ends_with_the_next_command() -> None:
    assert import_next({"OPEN": 3, "MERGED": 1}) == "  next      reknit issues list    (3 OPEN)"
    assert import_next({"MERGED": 1}) == "  next      nothing is open"


@pytest.mark.parametrize(
    ("written", "more"),
    [
        pytest.param(Written(1, 5, 5), [], id="small"),
        pytest.param(
            Written(2, 9_000, 6_000),
            ["GitHub takes all of it, but shows at most 5,000 results of one tool"],
            id="more than is shown",
        ),
        pytest.param(
            Written(21, 9_000, 6_000),
            [
                "GitHub takes at most 20 runs of 25,000 results in one file, and this has 21: "
                "choose by `--tool` or `--path`"
            ],
            id="more than is taken",
        ),
    ],
)
def test_an_export_says_what_github_would(written: Written, more: list[str]) -> None:
    first, *rest = exported(written, "x.sarif")
    assert first == f"x.sarif: {written.results} results in {written.runs} run(s)"
    assert rest == more


def test_an_import_is_a_document() -> None:
    document = import_document(report(updated=1, left_out=(LeftOut("outside", 2, "/x"),), notes=("n",)), "/srv/shop")
    assert (document["new"], document["known"], document["updated"], document["results"]) == (36, 3, 1, 38)
    assert document["left_out"] == [{"why": "outside", "count": 2, "example": "/x"}]
    assert document["reports"] == [{"name": "ruff.json", "tools": ["ruff"], "results": 38}]
    assert (document["import"], document["repository"], document["partial"]) == (4, "/srv/shop", ["n"])
