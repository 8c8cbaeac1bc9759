"""Messages about imported and exported reports."""

import shlex
from collections.abc import Sequence

from reknit.core.issues.import_summary import ImportReport, SkippedResults, UnknownFiles
from reknit.core.issues.lifecycle import TO_DO
from reknit.core.issues.model import AbsentIssues, Counts
from reknit.core.issues.output.messages import counted
from reknit.core.issues.sarif_export import RESULTS_PER_RUN, RUNS_PER_FILE, SHOWN_PER_RUN, ExportSummary
from reknit.core.text.format import first_few, one_line

_LEFT_OUT = {
    "no file": "name no file",
    "outside": "are outside this repository",
    "stranger": "come from people who are neither members nor collaborators",
    "twice": "are duplicates",
}


_NAMED = 5
"""The most issues that a line names."""


def import_lines(report: ImportReport) -> list[str]:
    """`ruff.json: 38 results from ruff: 36 new, 2 known`; several files get a line each, with the total below."""
    each = [f"{one_line(read.name)}: {_results(read.results, read.tools)}" for read in report.reports]
    text = _counted(report)
    if len(each) == 1:
        lines = [f"{each[0]}: {text}"] if report.results else each
    else:
        lines = [*each, f"{_results(report.results)}: {text}"]
    lines += [f"  left out  {_left_out(left)}" for left in report.left_out]
    if report.renamed:
        lines.append(f"  renamed   {report.renamed} file(s); their issues moved with them")
    if report.count.again:
        lines.append(f"  again     {report.count.again} that a merge had settled: OPEN again")
    if report.count.unmerged:
        lines.append(f"  resolved  {_unmerged(report.count.unmerged)}")
    lines += [f"  absent    {_absent(absent)}" for absent in report.absent]
    if report.not_here:
        lines.append(f"  not here  {_not_here(report.not_here)}")
    lines += [f"  note      {one_line(note)}: what is missing from its report may still exist" for note in report.notes]
    return lines


def import_next(counts: Counts, absent: int | None = 0) -> str:
    """`absent`: open issues that their tools no longer report; None: not counted."""
    parts = [counted(counts, [status]) for status in TO_DO if counts.get(status)]
    if absent and counts.get("OPEN"):
        parts[0] += f", {absent} of them absent"
    left = ("; " if absent else ", ").join(parts)
    return f"  next      reknit issues list    ({left})" if left else "  next      nothing is open"


def _counted(report: ImportReport) -> str:
    count = report.count
    known = f"{count.seen + count.updated} known"
    changed = f" ({count.updated} moved or changed)" if count.updated else ""
    return f"{count.new} new, {known}{changed}"


def _unmerged(issues: Sequence[int]) -> str:
    number = len(issues)
    reopen = f"reknit issues reopen {first_few([f'I-{issue}' for issue in issues], _NAMED, ' ')}"
    are, its = ("issue is", "its commit is") if number == 1 else ("issues are", "their commits are")
    return f"{number} RESOLVED {are} still reported, and {its} not in HEAD: merge, or `{reopen}`"


def _absent(absent: AbsentIssues) -> str:
    hint = "; if it checked only part of the repository, import a report on all of it" if absent.looks_partial else ""
    return f"{absent.count} that {one_line(absent.tool)} no longer reports{hint}"


def _not_here(lost: UnknownFiles) -> str:
    text = f"{_results(lost.results)} about {lost.files} file(s) that are not in this repository"
    root = f"; did the tool run in {lost.root}? Then add `--root {shlex.quote(lost.root)}`" if lost.root else ""
    return f"{text}, e.g. {one_line(lost.example)[:200]}{one_line(root)}"


def _results(number: int, tools: Sequence[str] = ()) -> str:
    of = f" from {', '.join(map(one_line, tools))}" if tools else ""
    return f"{number or 'no'} result{'' if number == 1 else 's'}{of}"


def _left_out(left: SkippedResults) -> str:
    example = f", e.g. {one_line(left.example)[:200]}" if left.example else ""
    elsewhere = "; `--root` sets the folder that paths are relative to" if left.why == "outside" else ""
    return f"{left.count} that {_LEFT_OUT[left.why]}{example}{elsewhere}"


def exported(written: ExportSummary, name: str) -> list[str]:
    """What was written, and how GitHub would handle it."""
    lines = [f"{name}: {_results(written.results)} in {written.runs} run(s)"]
    if written.runs > RUNS_PER_FILE:
        lines.append(
            f"GitHub accepts at most {RUNS_PER_FILE} runs of {RESULTS_PER_RUN:,} results per file, but this file has "
            f"{written.runs}: filter with `--tool` or `--path`"
        )
    elif written.largest > SHOWN_PER_RUN:
        lines.append(f"GitHub accepts all of it, but shows at most {SHOWN_PER_RUN:,} results per tool")
    return lines
