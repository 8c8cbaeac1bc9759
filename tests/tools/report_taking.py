"""Takes reports into the ledger of an installation, and reads back what became of them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reknit.app.installation import Installation
from reknit.app.issues.import_reports import ImportRequest, import_reports
from reknit.app.issues.ledger import open_backlog
from reknit.app.issues.query import list_newest_first
from reknit.core.issues.import_summary import ImportReport
from reknit.core.issues.model import Issue, IssueFilter

SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


def taken(installation: Installation, plot: Path, *files: Path | str, **wanted: Any) -> ImportReport:
    return import_reports(
        installation, open_backlog(installation, plot), ImportRequest(tuple(map(str, files)), **wanted)
    )


def issues(installation: Installation, root: Path) -> list[Issue]:
    """The oldest first."""
    return list(list_newest_first(installation, open_backlog(installation, root), IssueFilter()))[::-1]


def counted(report: ImportReport) -> tuple[int, int, int]:
    return report.count.new, report.count.unchanged, report.count.updated


def sarif(root: Path, results: Sequence[tuple[str, str, int]], *, tool: str = "tidy", message: str = "") -> Path:
    """A report with (rule, path, line) each; without a path there is no place."""
    found = [
        {
            "ruleId": rule,
            "message": {"text": message or f"{rule} is broken"},
            "locations": [
                {"physicalLocation": {"artifactLocation": {"uri": path}, "region": {"startLine": line}}}
            ] if path else [],
        }
        for rule, path, line in results
    ]  # fmt: skip
    runs = [{"tool": {"driver": {"name": tool}}, "results": found}]
    report = root.parent / f"{tool}.sarif"
    report.write_text(json.dumps({"$schema": SARIF, "version": "2.1.0", "runs": runs}))
    return report
