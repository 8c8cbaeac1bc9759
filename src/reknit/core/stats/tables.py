"""Renders the figures of `reknit stats` as tables: text for a terminal, and one HTML page without script."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from reknit.core.runs.spending import format_maximum
from reknit.core.stats.figures import SHOWN_FINDINGS, Figures
from reknit.core.text.format import format_seconds, pluralize, render_line, sanitize_line

_FINDING_CHARS = 60


@dataclass(frozen=True)
class Table:
    """A table, and the sentence that says what it shows."""

    sentence: str
    columns: Sequence[str]
    """Headings, each with its unit."""
    rows: Sequence[Sequence[str]]
    """Cells; the first one of a row is its name."""


def summarize(figures: Figures) -> str:
    """Return the answer in one or two sentences."""
    where = f"in {_name(figures.repository)}" if figures.repository else "in every repository"
    if not figures.runs:
        return f"No run began {where} in {figures.period.text}: `reknit fix tests` starts one."
    held = f", up to {format_maximum(figures.reserved_usd)} more is reserved" if figures.reserved_usd > 0 else ""
    spent = f"${figures.spent_usd:.2f} spent{held}"
    first = f"{pluralize(figures.runs, 'run')} began {where} in {figures.period.text}: {spent}."
    if figures.usd_per_fix is None:
        return f"{first} No fix was accepted."
    fixes = "1 fix was accepted" if figures.landed == 1 else f"{figures.landed} fixes were accepted"
    return f"{first} {fixes}, ${figures.usd_per_fix:.2f} each with everything that was tried."


def build_tables(figures: Figures) -> list[Table]:
    """Return the tables that have rows."""
    period = figures.period.text
    tables = [
        Table(
            f"How the runs of {period} ended.",
            ("ending", "runs", "spent, $", "reserved, $", "time per run"),
            [
                (
                    one.ending, str(one.runs), _money(one.spent_usd), _money(one.reserved_usd),
                    _mean(one.seconds, one.runs),
                )
                for one in figures.endings
            ],
        ),
        Table(
            f"What each agent that edits did in {period}.",
            ("agent", "attempts", "accepted fixes", "spent, $", "$ per accepted fix", "tokens", "time per attempt"),
            [
                (
                    sanitize_line(one.agent), str(one.attempts), str(one.landed), _money(one.cost_usd),
                    _money(one.cost_usd / one.landed) if one.landed else "none", f"{one.tokens:,}",
                    _mean(one.seconds, one.attempts),
                )
                for one in figures.agents
            ],
        ),
        Table(
            f"The findings that cost most in {period}, at most {SHOWN_FINDINGS}: all attempts on them.",
            ("finding", "repository", "runs", "attempts", "spent, $"),
            [
                (
                    sanitize_line(one.finding, _FINDING_CHARS), _name(one.repository),
                    str(one.runs), str(one.attempts), _money(one.cost_usd),
                )
                for one in figures.findings
            ],
        ),
        Table(
            f"Why the gate refused changes in {period}; `reknit explain RULE` explains a rule.",
            ("rule", "refusals"),
            [(sanitize_line(one.rule), str(one.refusals)) for one in figures.rules],
        ),
    ]  # fmt: skip
    return [table for table in tables if table.rows]


def _name(repository: str) -> str:
    return sanitize_line(repository.rstrip("/").rpartition("/")[2])


def _money(usd: float) -> str:
    return f"{usd:.2f}"


def _mean(seconds: float, count: int) -> str:
    return format_seconds(seconds / count) if count and seconds else "-"


def render_text(figures: Figures, width: int = 0) -> str:
    """Return the figures for a terminal; a table that is wider becomes one list for each row. `width` 0: no limit."""
    parts = ["\n".join(render_line("", summarize(figures), width))]
    for table in build_tables(figures):
        lines = list(_align(table))
        is_too_wide = bool(width) and max(map(len, lines)) > width
        rows = _list_rows(table, width) if is_too_wide else lines
        parts.append("\n".join([*render_line("", table.sentence, width), *rows]))
    return "\n\n".join(parts)


def _list_rows(table: Table, width: int) -> Iterator[str]:
    first = max(map(len, table.columns))
    for name, *cells in table.rows:
        yield from render_line("  ", name, width)
        for column, cell in zip(table.columns[1:], cells, strict=True):
            yield from render_line(f"    {column.ljust(first)}  ", cell, width)


def _align(table: Table) -> Iterator[str]:
    widths = [max(map(len, cells)) for cells in zip(table.columns, *table.rows, strict=True)]
    for row in (table.columns, *table.rows):
        name, *numbers = (
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join([f"  {name}", *numbers]).rstrip()


_STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "div{overflow-x:auto}table{border-collapse:collapse}caption{text-align:left;padding:1.5rem 0 .5rem}"
    "th,td{padding:.25rem .75rem;text-align:right;border-bottom:1px solid #8884}th:first-child{text-align:left}"
)


def render_page(figures: Figures) -> str:
    """Return the figures as one HTML page that loads nothing and runs nothing."""
    tables = "\n".join(map(_render_html_table, build_tables(figures)))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>reknit stats</title>\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<style>{_STYLE}</style></head><body>\n<h1>reknit stats</h1>\n<p>{escape(summarize(figures))}</p>\n{tables}\n"
        "</body></html>"
    )


def _render_html_table(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in table.columns)
    rows = "\n".join(
        f'<tr><th scope="row">{escape(name)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'
        for name, *cells in table.rows
    )
    return f"<div><table><caption>{escape(table.sentence)}</caption>\n<tr>{head}</tr>\n{rows}\n</table></div>"
