"""Issues as rows of a table that fits the terminal width."""

from collections.abc import Sequence

from reknit.core.issues.lifecycle import TO_DO
from reknit.core.issues.model import Issue
from reknit.core.text.format import format_location, to_one_line
from reknit.core.text.truncate import truncate_columns

_GAP = "  "
_WEIGHT, _PLACE, _RULE, _MESSAGE = 2, 3, 4, 5
_ALL_COLUMNS: tuple[int, ...] = (0, 1, _WEIGHT, _PLACE, _RULE, _MESSAGE)
_COLUMN_SETS = (_ALL_COLUMNS, (0, 1, _PLACE, _RULE, _MESSAGE), (0, 1, _PLACE, _MESSAGE))
"""Columns that remain as the terminal gets narrower: first the weight is dropped, then the rule."""
_MIN_WIDTHS = {_PLACE: 24, _RULE: 16, _MESSAGE: 24}
_MIN_WIDTH_IF_NARROW = 12
_MIN_USEFUL_WIDTH = 8
"""Width below which a message is not worth its column."""


def format_place(issue: Issue) -> str:
    """Return the file and line of the issue."""
    return format_location(to_one_line(issue.path), issue.line)


def format_rule(issue: Issue) -> str:
    """Return the rule with the tool that reported it first, and the number of other tools."""
    more = len(issue.tools) - 1
    tool = to_one_line(issue.tools[0]) if issue.tools else ""
    return f"{tool} {to_one_line(issue.rule)}".strip() + (f" +{more}" if more > 0 else "")


def format_status(issue: Issue) -> str:
    """Return the status, with `absent` if its tools no longer report an unfinished issue."""
    return f"{issue.status} absent" if issue.status in TO_DO and issue.baseline == "absent" else issue.status


def get_first_line(text: str) -> str:
    """Return the first line with text. A test's message may be its whole traceback."""
    return next((line for line in map(to_one_line, text.splitlines()) if line), "")


def render_table(issues: Sequence[Issue], width: int) -> list[str]:
    """Render one line per issue that fits into `width`; 0: nothing is cut."""
    rows = [
        (
            issue.name,
            format_status(issue),
            issue.weight,
            format_place(issue),
            format_rule(issue),
            f"{to_one_line(issue.label)} {get_first_line(issue.message)}".strip(),
        )
        for issue in issues
    ]
    if not rows:
        return []
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    columns = _ALL_COLUMNS
    if width:
        columns, widths = _fit_columns(widths, width)
    return [
        truncate_columns(_render_row(row, issue, columns, widths), width)
        for row, issue in zip(rows, issues, strict=True)
    ]


def _fit_columns(widths: Sequence[int], width: int) -> tuple[tuple[int, ...], list[int]]:
    """Choose the most columns that leave room for some words of a message."""
    for columns in _COLUMN_SETS[:-1]:
        fitted = _shrink_columns(widths, width, columns, _MIN_WIDTHS)
        if fitted[_MESSAGE] >= min(widths[_MESSAGE], _MIN_USEFUL_WIDTH):
            return columns, fitted
    least = {_PLACE: _MIN_WIDTH_IF_NARROW, _MESSAGE: _MIN_WIDTH_IF_NARROW}
    return _COLUMN_SETS[-1], _shrink_columns(widths, width, _COLUMN_SETS[-1], least)


def _shrink_columns(widths: Sequence[int], width: int, columns: Sequence[int], least: dict[int, int]) -> list[int]:
    """Shrink place and rule before a message becomes shorter than a few words."""
    fitted = list(widths)
    gaps = len(_GAP) * (len(columns) - 1)
    space = width - gaps - sum(widths[column] for column in columns if column not in least)
    over = sum(widths[column] for column in least if column != _MESSAGE)
    over += min(widths[_MESSAGE], least[_MESSAGE]) - space
    for column in (_PLACE, _RULE):
        if column in least:
            less = min(max(over, 0), max(widths[column] - least[column], 0))
            fitted[column], over = widths[column] - less, over - less
    fitted[_MESSAGE] = max(space - sum(fitted[column] for column in least if column != _MESSAGE), 1)
    return fitted


def _render_row(row: Sequence[str], issue: Issue, columns: Sequence[int], widths: Sequence[int]) -> str:
    cells = [*row[:_PLACE], _keep_end(row[_PLACE], widths[_PLACE]), _fit_rule(row[_RULE], issue, widths[_RULE])]
    cells.append(truncate_columns(row[_MESSAGE], widths[_MESSAGE]))
    return _GAP.join(cells[column].ljust(widths[column]) for column in columns).rstrip()


def _fit_rule(text: str, issue: Issue, width: int) -> str:
    """Keep the tool while some of the rule fits beside it; the end of a test id says which test it is."""
    if len(text) <= width:
        return text
    tool, bare = to_one_line(issue.tools[0]) if issue.tools else "", to_one_line(issue.rule)
    beside = width - len(tool) - 1
    if beside < min(len(bare), _MIN_USEFUL_WIDTH):
        return truncate_columns(bare, width)
    return f"{tool} {_keep_end(bare, beside) if '::' in bare else truncate_columns(bare, beside)}"


def _keep_end(text: str, width: int) -> str:
    """Cut the start: the end of a path is the file name."""
    return text if len(text) <= width else "…" + text[len(text) - width + 1 :]
