"""What is said when reports come in and go out."""

from collections.abc import Sequence

from reknit.core.import_report import ImportReport, LeftOut
from reknit.core.issue import Counts
from reknit.core.issue_wording import OPEN_STATUSES, counted
from reknit.core.sarif_export import RESULTS_A_RUN, RUNS_A_FILE, SHOWN_A_RUN, Written
from reknit.core.wording import one_line

_LEFT_OUT = {
    "no file": "name no file",
    "outside": "are outside of this repository",
    "stranger": "are by people who are neither members nor collaborators here",
    "twice": "are there twice",
}


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
    lines += [
        f"  note      {one_line(note)}: what is missing in its report may still be there" for note in report.notes
    ]
    return lines


def import_next(counts: Counts) -> str:
    left = counted(counts, OPEN_STATUSES)
    return f"  next      reknit issues list    ({left})" if left else "  next      nothing is open"


def _told(report: ImportReport) -> str:
    count = report.count
    known = f"{count.seen + count.updated} known"
    changed = f" ({count.updated} moved or changed)" if count.updated else ""
    return f"{count.new} new, {known}{changed}"


def _results(number: int, tools: Sequence[str] = ()) -> str:
    of = f" of {', '.join(map(one_line, tools))}" if tools else ""
    return f"{number or 'no'} result{'' if number == 1 else 's'}{of}"


def _left_out(left: LeftOut) -> str:
    example = f", e.g. {one_line(left.example)[:200]}" if left.example else ""
    elsewhere = "; `--root` names the folder that paths are from" if left.why == "outside" else ""
    return f"{left.count} that {_LEFT_OUT[left.why]}{example}{elsewhere}"


def exported(written: Written, name: str) -> list[str]:
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
