"""Issues and imports as machine-readable documents."""

from collections.abc import Sequence

from reknit.core.issues.import_summary import ImportReport, UnknownFiles
from reknit.core.issues.model import Issue, IssueChange

SCHEMA = 1


def issue_document(issue: Issue) -> dict[str, object]:
    return {
        "issue": issue.name, "status": issue.status, "path": issue.path, "line": issue.line, "column": issue.column,
        "rule": issue.rule, "message": issue.message, "weight": issue.weight, "suggestion": issue.suggestion,
        "effort": issue.effort_1_5 or None, "files": issue.files or None, "workload": issue.workload,
        "sources": [
            {"tool": source.tool, "rule": source.rule, "message": source.message, "url": source.url}
            for source in issue.sources
        ],
        "baseline": issue.baseline, "fingerprint": issue.fingerprint, "repository": issue.repository,
        "duplicate_of": f"I-{issue.duplicate_of}" if issue.duplicate_of else None, "run": issue.run_id or None,
        "commit": issue.commit or None, "pull": issue.pull or None, "created_at": issue.created_at,
        "changed_at": issue.changed_at, "label": issue.label or None,
    }  # fmt: skip


def shown_document(
    issue: Issue, history: Sequence[IssueChange], excerpt: Sequence[tuple[int, str]]
) -> dict[str, object]:
    return {
        "schema": SCHEMA, **issue_document(issue), "history": [_change(change) for change in history],
        "excerpt": [{"line": number, "text": text} for number, text in excerpt],
    }  # fmt: skip


def _change(change: IssueChange) -> dict[str, object]:
    note = change.note
    return {
        "from": change.old, "to": change.new, "who": note.who, "why": note.why, "at": note.at,
        "run": note.run_id or None, "commit": note.commit or None,
    }  # fmt: skip


def _not_here(lost: UnknownFiles | None) -> dict[str, object] | None:
    if lost is None:
        return None
    return {"results": lost.results, "files": lost.files, "example": lost.example, "root": lost.root or None}


def import_document(report: ImportReport, repository: str) -> dict[str, object]:
    count = report.count
    return {
        "schema": SCHEMA, "import": count.number, "repository": repository, "results": report.results,
        "new": count.new, "known": count.seen + count.updated, "updated": count.updated, "again": count.again,
        "reports": [
            {"name": read.name, "tools": list(read.tools), "results": read.results} for read in report.reports
        ],
        "left_out": [{"why": left.why, "count": left.count, "example": left.example} for left in report.left_out],
        "renamed_files": report.renamed, "partial": list(report.notes),
        "absent": sum(absent.count for absent in report.absent),
        "unmerged": [f"I-{number}" for number in count.unmerged], "not_here": _not_here(report.not_here),
    }  # fmt: skip
