"""Shows imports and exports of reports, as text and as JSON."""

import shlex
from collections.abc import Sequence

from reknit.core.issues.import_summary import AbsentIssues, ImportReport, SkippedResults, UnknownFiles
from reknit.core.issues.lifecycle import TO_DO
from reknit.core.issues.model import Counts
from reknit.core.issues.output.detail import SCHEMA
from reknit.core.issues.output.messages import count_by_status
from reknit.core.issues.sarif_export import RESULTS_PER_RUN, RUNS_PER_FILE, SHOWN_PER_RUN, ExportSummary
from reknit.core.text.format import join_few, to_one_line

_LEFT_OUT = {
    "no file": "name no file",
    "outside": "are outside this repository",
    "stranger": "come from people who are neither members nor collaborators",
    "twice": "are duplicates",
}
_MAX_NAMED_ISSUES = 5
"""Maximum number of issues that a line names."""


def render_import(report: ImportReport) -> list[str]:
    """Render the summary: `ruff.json: 38 results from ruff: 36 new, 2 known`, with a line per file."""
    report_lines = [f"{to_one_line(read.name)}: {_count_results(read.results, read.tools)}" for read in report.reports]
    text = _describe_counts(report)
    if len(report_lines) == 1:
        lines = [f"{report_lines[0]}: {text}"] if report.results else report_lines
    else:
        lines = [*report_lines, f"{_count_results(report.results)}: {text}"]
    lines += [f"  left out  {_describe_skipped(skipped)}" for skipped in report.skipped]
    if report.renamed:
        lines.append(f"  renamed   {report.renamed} file(s); their issues moved with them")
    if report.count.reopened:
        lines.append(f"  again     {report.count.reopened} that a merge had settled: OPEN again")
    if report.count.unmerged:
        lines.append(f"  resolved  {_describe_unmerged(report.count.unmerged)}")
    lines += [f"  absent    {_describe_absent(absent)}" for absent in report.absent]
    if report.unknown_files:
        lines.append(f"  not here  {_describe_unknown_files(report.unknown_files)}")
    lines += [
        f"  note      {to_one_line(note)}: what is missing from its report may still exist" for note in report.notes
    ]
    return lines


def suggest_after_import(counts: Counts, absent: int | None = 0) -> str:
    """Return the next step. `absent`: open issues that their tools no longer report; None: not counted."""
    parts = [count_by_status(counts, [status]) for status in TO_DO if counts.get(status)]
    if absent and counts.get("OPEN"):
        parts[0] += f", {absent} of them absent"
    open_counts = ("; " if absent else ", ").join(parts)
    return f"  next      reknit issues list    ({open_counts})" if open_counts else "  next      nothing is open"


def _describe_counts(report: ImportReport) -> str:
    count = report.count
    known_count = f"{count.unchanged + count.updated} known"
    changed = f" ({count.updated} moved or changed)" if count.updated else ""
    return f"{count.new} new, {known_count}{changed}"


def _describe_unmerged(issues: Sequence[int]) -> str:
    number = len(issues)
    reopen = f"reknit issues reopen {join_few([f'I-{issue}' for issue in issues], _MAX_NAMED_ISSUES, ' ')}"
    are, its = ("issue is", "its commit is") if number == 1 else ("issues are", "their commits are")
    return f"{number} RESOLVED {are} still reported, and {its} not in HEAD: merge, or `{reopen}`"


def _describe_absent(absent: AbsentIssues) -> str:
    hint = "; if it checked only part of the repository, import a report on all of it" if absent.looks_partial else ""
    return f"{absent.count} that {to_one_line(absent.tool)} no longer reports{hint}"


def _describe_unknown_files(unknown: UnknownFiles) -> str:
    text = f"{_count_results(unknown.results)} about {unknown.files} file(s) that are not in this repository"
    root = (
        f"; did the tool run in {unknown.root}? Then add `--root {shlex.quote(unknown.root)}`" if unknown.root else ""
    )
    return f"{text}, e.g. {to_one_line(unknown.example)[:200]}{to_one_line(root)}"


def _count_results(number: int, tools: Sequence[str] = ()) -> str:
    origin = f" from {', '.join(map(to_one_line, tools))}" if tools else ""
    return f"{number or 'no'} result{'' if number == 1 else 's'}{origin}"


def _describe_skipped(skipped: SkippedResults) -> str:
    example = f", e.g. {to_one_line(skipped.example)[:200]}" if skipped.example else ""
    hint = "; `--root` sets the folder that paths are relative to" if skipped.why == "outside" else ""
    return f"{skipped.count} that {_LEFT_OUT[skipped.why]}{example}{hint}"


def render_export(export: ExportSummary, name: str) -> list[str]:
    """Render the size of an export, and what GitHub accepts and shows of it."""
    lines = [f"{name}: {_count_results(export.results)} in {export.runs} run(s)"]
    if export.runs > RUNS_PER_FILE:
        lines.append(
            f"GitHub accepts at most {RUNS_PER_FILE} runs of {RESULTS_PER_RUN:,} results per file, but this file has "
            f"{export.runs}: filter with `--tool` or `--path`"
        )
    elif export.largest > SHOWN_PER_RUN:
        lines.append(f"GitHub accepts all of it, but shows at most {SHOWN_PER_RUN:,} results per tool")
    return lines


def build_import_document(report: ImportReport, repository: str) -> dict[str, object]:
    """Return an import as a JSON document."""
    count = report.count
    return {
        "schema": SCHEMA, "import": count.number, "repository": repository, "results": report.results,
        "new": count.new, "known": count.unchanged + count.updated, "updated": count.updated, "again": count.reopened,
        "reports": [
            {"name": read.name, "tools": list(read.tools), "results": read.results} for read in report.reports
        ],
        "left_out": [
            {"why": skipped.why, "count": skipped.count, "example": skipped.example} for skipped in report.skipped
        ],
        "renamed_files": report.renamed, "partial": list(report.notes),
        "absent": sum(absent.count for absent in report.absent),
        "unmerged": [f"I-{number}" for number in count.unmerged],
        "not_here": _document_unknown_files(report.unknown_files),
    }  # fmt: skip


def _document_unknown_files(unknown: UnknownFiles | None) -> dict[str, object] | None:
    if unknown is None:
        return None
    return {
        "results": unknown.results,
        "files": unknown.files,
        "example": unknown.example,
        "root": unknown.root or None,
    }
