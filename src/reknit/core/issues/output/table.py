"""Issues as rows of a table that fits the terminal width."""

from collections.abc import Sequence

from reknit.core.issues.lifecycle import TO_DO
from reknit.core.issues.model import Issue
from reknit.core.text.format import file_line, one_line
from reknit.core.text.truncate import truncate_columns

_GAP = "  "
_WEIGHT, _PLACE, _RULE, _MESSAGE = 2, 3, 4, 5
_EVERY: tuple[int, ...] = (0, 1, _WEIGHT, _PLACE, _RULE, _MESSAGE)
_NARROWER = (_EVERY, (0, 1, _PLACE, _RULE, _MESSAGE), (0, 1, _PLACE, _MESSAGE))
"""Columns that remain as the terminal gets narrower: first the weight is dropped, then the rule."""
_LEAST = {_PLACE: 24, _RULE: 16, _MESSAGE: 24}
_LEAST_WHERE_NARROW = 12
_TELLS_NOTHING = 8
"""A message narrower than this is not worth its column."""


def place(issue: Issue) -> str:
    return file_line(one_line(issue.path), issue.line)


def rule(issue: Issue) -> str:
    """With the tool that reported it first, and how many others did."""
    more = len(issue.tools) - 1
    tool = one_line(issue.tools[0]) if issue.tools else ""
    return f"{tool} {one_line(issue.rule)}".strip() + (f" +{more}" if more > 0 else "")


def standing(issue: Issue) -> str:
    """Its status; for an unfinished issue also whether its tools no longer report it: no run works on that one."""
    return f"{issue.status} absent" if issue.status in TO_DO and issue.baseline == "absent" else issue.status


def first_line(text: str) -> str:
    """A test's message may be its whole traceback."""
    return next((line for line in map(one_line, text.splitlines()) if line), "")


def _said(issue: Issue) -> str:
    return f"{one_line(issue.label)} {first_line(issue.message)}".strip()


def issue_lines(issues: Sequence[Issue], width: int) -> list[str]:
    """Each line fits into `width`; 0: nothing is cut."""
    rows = [(issue.name, standing(issue), issue.weight, place(issue), rule(issue), _said(issue)) for issue in issues]
    if not rows:
        return []
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    columns = _EVERY
    if width:
        columns, widths = _fitted(widths, width)
    return [
        truncate_columns(_line(row, issue, columns, widths), width) for row, issue in zip(rows, issues, strict=True)
    ]


def _fitted(widths: Sequence[int], width: int) -> tuple[tuple[int, ...], list[int]]:
    """The most columns that leave room for some words of a message."""
    for columns in _NARROWER[:-1]:
        fitted = _shrunk(widths, width, columns, _LEAST)
        if fitted[_MESSAGE] >= min(widths[_MESSAGE], _TELLS_NOTHING):
            return columns, fitted
    least = {_PLACE: _LEAST_WHERE_NARROW, _MESSAGE: _LEAST_WHERE_NARROW}
    return _NARROWER[-1], _shrunk(widths, width, _NARROWER[-1], least)


def _shrunk(widths: Sequence[int], width: int, columns: Sequence[int], least: dict[int, int]) -> list[int]:
    """Shrinks place and rule before a message becomes shorter than a few words."""
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


def _line(row: Sequence[str], issue: Issue, columns: Sequence[int], widths: Sequence[int]) -> str:
    cells = [*row[:_PLACE], _end(row[_PLACE], widths[_PLACE]), _rule_within(row[_RULE], issue, widths[_RULE])]
    cells.append(truncate_columns(row[_MESSAGE], widths[_MESSAGE]))
    return _GAP.join(cells[column].ljust(widths[column]) for column in columns).rstrip()


def _rule_within(named: str, issue: Issue, width: int) -> str:
    """Includes the tool while some of the rule still fits beside it; the end of a test id says which test it is."""
    if len(named) <= width:
        return named
    tool, bare = one_line(issue.tools[0]) if issue.tools else "", one_line(issue.rule)
    beside = width - len(tool) - 1
    if beside < min(len(bare), _TELLS_NOTHING):
        return truncate_columns(bare, width)
    return f"{tool} {_end(bare, beside) if '::' in bare else truncate_columns(bare, beside)}"


def _end(text: str, width: int) -> str:
    """Keeps the end: in a path, that is the file name."""
    return text if len(text) <= width else "…" + text[len(text) - width + 1 :]
