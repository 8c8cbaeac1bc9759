"""Renders the reviewers as a table for people, and as JSON for programs."""

from collections.abc import Sequence

from reknit.core.agents.reviewer import Reviewer
from reknit.core.text.format import to_one_line

_SHIPPED = "reknit"
_HEAD = ("reviewer", "level", "prefix", "languages", "agent", "from")
_GAP = "  "
_DEFAULT = "default"


def render_reviewer_table(reviewers: Sequence[Reviewer]) -> list[str]:
    """Return the table, a line per reviewer."""
    rows = [_HEAD, *map(_make_row, reviewers)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [_GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def render_judges_note(commit: str) -> str:
    """Tell whose judges count if the working tree has others. `commit`: empty if no default branch is known."""
    judges = "reviewers, challengers, voters and their settings"
    if commit:
        return (
            f"{judges} are those of {commit[:7]}, where HEAD left the default branch; what differs here does not count"
        )
    return f"no default branch is known here, so {judges} are reknit's and your own; `--base` or a remote names one"


def to_json(reviewers: Sequence[Reviewer]) -> list[dict[str, object]]:
    """Return the reviewers for `--format json`."""
    return [
        {
            "name": reviewer.name,
            "level": reviewer.level,
            "prefix": reviewer.prefix,
            "languages": list(reviewer.languages),
            "agent": reviewer.agent,
            "model": reviewer.model,
            "shipped": not reviewer.origin,
            "origin": reviewer.origin,
        }
        for reviewer in reviewers
    ]


def _make_row(reviewer: Reviewer) -> tuple[str, ...]:
    return (
        reviewer.name,
        reviewer.level,
        reviewer.prefix,
        ", ".join(reviewer.languages) or "all",
        (reviewer.agent or _DEFAULT) + (f" ({reviewer.model})" if reviewer.model else ""),
        to_one_line(reviewer.origin) or _SHIPPED,
    )
