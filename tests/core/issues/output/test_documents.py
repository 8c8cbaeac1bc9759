"""Issues and imports as documents for programs."""

import json
from typing import Any

from reknit.core.issues.import_summary import ImportReport, ReportSummary, SkippedResults, UnknownFiles
from reknit.core.issues.model import ImportCount
from reknit.core.issues.output.documents import import_document, issue_document, shown_document
from tests.tools.issue_samples import MESSAGE, RUFF, changed, issue


def report(new: int = 36, seen: int = 2, **facts: Any) -> ImportReport:
    reports = facts.pop("reports", (ReportSummary("ruff.json", ("ruff",), 38),))
    counted = ImportCount(4, new, seen, facts.pop("updated", 0), facts.pop("again", 0), facts.pop("unmerged", ()))
    return ImportReport(reports, counted, **facts)


def test_documents_have_every_fact_and_null_for_what_is_unknown() -> None:
    document = issue_document(issue(1, duplicate_of=3))
    assert (document["issue"], document["duplicate_of"], document["effort"], document["workload"]) == (
        "I-1",
        "I-3",
        None,
        3,
    )
    assert document["sources"] == [{"tool": "ruff", "rule": "F401", "message": MESSAGE, "url": RUFF.url}]
    assert (document["run"], document["commit"], issue_document(issue(1))["duplicate_of"]) == (None, None, None)
    assert (issue_document(issue(1, label="SEC-001"))["label"], document["label"]) == ("SEC-001", None)
    shown = shown_document(issue(1), [changed("OPEN", "IGNORED")], [(3, "import os")])
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
    document = import_document(
        report(updated=1, left_out=(SkippedResults("outside", 2, "/x"),), notes=("n",)), "/srv/shop"
    )
    assert (document["new"], document["known"], document["updated"], document["results"]) == (36, 3, 1, 38)
    assert document["left_out"] == [{"why": "outside", "count": 2, "example": "/x"}]
    assert document["reports"] == [{"name": "ruff.json", "tools": ["ruff"], "results": 38}]
    assert (document["import"], document["repository"], document["partial"]) == (4, "/srv/shop", ["n"])


def test_what_a_run_did_to_an_issue_is_in_the_document() -> None:
    done = issue(7, status="RESOLVED", run_id="r-1", commit="c" * 40, pull="12", effort_1_5=2, files=3)
    document = issue_document(done)
    assert (document["run"], document["commit"], document["pull"]) == ("r-1", "c" * 40, "12")
    assert (document["effort"], document["files"]) == (2, 3)
    history = shown_document(done, [changed("OPEN", "IN_PROGRESS", run_id="r-1")], [])["history"]
    assert isinstance(history, list)
    assert (history[0]["run"], history[0]["commit"]) == ("r-1", None)


def test_an_import_that_missed_nothing_says_so_to_programs() -> None:
    document = import_document(report(), "/srv/shop")
    assert (document["not_here"], document["unmerged"], document["absent"], document["left_out"]) == (None, [], 0, [])
    lost = report(not_here=UnknownFiles(2, 1, "a.py"))
    assert import_document(lost, "/srv/shop")["not_here"] == {
        "results": 2, "files": 1, "example": "a.py", "root": None,
    }  # fmt: skip
