"""What is said when reports come in and go out."""

import shlex
from collections.abc import Sequence

from reknit.core.issues.import_summary import ImportReport, SkippedResults, UnknownFiles
from reknit.core.issues.lifecycle import TO_DO
from reknit.core.issues.model import AbsentIssues, Counts
from reknit.core.issues.output.messages import counted
from reknit.core.issues.sarif_export import RESULTS_A_RUN, RUNS_A_FILE, SHOWN_A_RUN, ExportSummary
from reknit.core.text.format import one_line

_LEFT_OUT = {
    "no file": "name no file",
    "outside": "are outside of this repository",
    "stranger": "are by people who are neither members nor collaborators here",
    "twice": "are there twice",
}


_NAMED = 5
"""Issues that a line names."""


def import_lines(report: ImportReport) -> list[str]:
    """`ruff.json: 38 results of ruff: 36 new, 2 known`; of several files each has a line, and the sum is below."""
    each = [f"{one_line(read.name)}: {_results(read.results, read.tools)}" for read in report.reports]
    told = _told(report)
    if len(each) == 1:
        lines = [f"{each[0]}: {told}"] if report.results else each
    else:
        lines = [*each, f"{_results(report.results)}: {told}"]
    lines += [f"  left out  {_left_out(left)}" for left in report.left_out]
    if report.renamed:
        lines.append(f"  renamed   {report.renamed} file(s); their issues went along")
    if report.count.again:
        lines.append(f"  again     {report.count.again} that a merge had settled: OPEN once more")
    if report.count.unmerged:
        lines.append(f"  resolved  {_unmerged(report.count.unmerged)}")
    lines += [f"  absent    {_absent(absent)}" for absent in report.absent]
    if report.not_here:
        lines.append(f"  not here  {_not_here(report.not_here)}")
    lines += [
        f"  note      {one_line(note)}: what is missing in its report may still be there" for note in report.notes
    ]
    return lines


def import_next(counts: Counts, absent: int | None = 0) -> str:
    """`absent`: open ones that their tools no longer see; None: not counted."""
    parts = [counted(counts, [status]) for status in TO_DO if counts.get(status)]
    if absent and counts.get("OPEN"):
        parts[0] += f", {absent} of them absent"
    left = ("; " if absent else ", ").join(parts)
    return f"  next      reknit issues list    ({left})" if left else "  next      nothing is open"


def _told(report: ImportReport) -> str:
    count = report.count
    known = f"{count.seen + count.updated} known"
    changed = f" ({count.updated} moved or changed)" if count.updated else ""
    return f"{count.new} new, {known}{changed}"


def _unmerged(issues: Sequence[int]) -> str:
    number = len(issues)
    some = " ".join(f"I-{issue}" for issue in issues[:_NAMED])
    reopen = f"reknit issues reopen {some}{' …' if number > _NAMED else ''}"
    are, its = ("is", "its commit is") if number == 1 else ("are", "their commits are")
    return f"{number} RESOLVED {are} still reported, and {its} not in HEAD: merge, or `{reopen}`"


def _absent(absent: AbsentIssues) -> str:
    hint = (
        "; if it looked at a part of the repository only, import a report of the whole" if absent.looks_partial else ""
    )
    return f"{absent.count} that {one_line(absent.tool)} no longer reports{hint}"


def _not_here(lost: UnknownFiles) -> str:
    told = f"{_results(lost.results)} about {lost.files} file(s) that this repository does not have"
    root = f"; did the tool run in {lost.root}? Then add `--root {shlex.quote(lost.root)}`" if lost.root else ""
    return f"{told}, e.g. {one_line(lost.example)[:200]}{one_line(root)}"


def _results(number: int, tools: Sequence[str] = ()) -> str:
    of = f" of {', '.join(map(one_line, tools))}" if tools else ""
    return f"{number or 'no'} result{'' if number == 1 else 's'}{of}"


def _left_out(left: SkippedResults) -> str:
    example = f", e.g. {one_line(left.example)[:200]}" if left.example else ""
    elsewhere = "; `--root` names the folder that paths are from" if left.why == "outside" else ""
    return f"{left.count} that {_LEFT_OUT[left.why]}{example}{elsewhere}"


def exported(written: ExportSummary, name: str) -> list[str]:
    """What was written, and what GitHub would say to it."""
    lines = [f"{name}: {_results(written.results)} in {written.runs} run(s)"]
    if written.runs > RUNS_A_FILE:
        lines.append(
            f"GitHub takes at most {RUNS_A_FILE} runs of {RESULTS_A_RUN:,} results in one file, and this has "
            f"{written.runs}: choose by `--tool` or `--path`"
        )
    elif written.largest > SHOWN_A_RUN:
        lines.append(f"GitHub takes all of it, but shows at most {SHOWN_A_RUN:,} results of one tool")
    return lines
