"""Formats short texts for people: durations, money, places, lists and fields."""

import textwrap
from collections.abc import Sequence
from difflib import get_close_matches

from reknit.core.text.redact import clean, redact
from reknit.core.text.truncate import truncate_chars

MAX_LINE_CHARS = 240


def sanitize_line(text: str, most: int = MAX_LINE_CHARS) -> str:
    """Return untrusted text as one line: nothing hidden, no secret, truncated."""
    return truncate_chars(to_one_line(redact(clean(text))), most)


def to_plain_line(text: str) -> str:
    """Return untrusted text as one line without secrets: a repository chooses the names of its tests."""
    return " ".join(redact(clean(text)).split())


def format_seconds(value: float) -> str:
    """Return a duration: `0.4 s`, `42 s` or `3m07s`."""
    if value < 10:
        return f"{value:.1f} s"
    if value < 100:
        return f"{value:.0f} s"
    return f"{int(value // 60)}m{int(value % 60):02d}s"


def to_one_line(text: str) -> str:
    """Return the text as one line. A test name comes from the repository and must not add lines to our output."""
    return " ".join(clean(text).split())


def join_few(texts: Sequence[str], most: int = 3, between: str = ", ") -> str:
    """Return the first texts: `a, b, c …`."""
    return between.join(texts[:most]) + (" …" if len(texts) > most else "")


def pluralize(count: int, noun: str) -> str:
    """Return the count with its noun: `1 test`, `2 tests`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def join_and_count(texts: Sequence[str], most: int = 3, between: str = ", ") -> str:
    """Return the first texts and the number of the others: `a, b, c and 4 more`."""
    return between.join(texts[:most]) + (f" and {len(texts) - most} more" if len(texts) > most else "")


def format_spending(spent_usd: float, budget_usd: float) -> str:
    """Return the spent and the allowed amount: `$1.20 of $5.00`."""
    return f"${spent_usd:.2f} of ${budget_usd:.2f}"


def format_location(file: str, line: int) -> str:
    """Return `shop/a.py:7`; without a number if the line is 0."""
    return f"{file}:{line}" if file and line else file


MAX_COMMENT_CHARS = 60_000
"""GitHub accepts 65,535 characters."""


def take_fitting(lines: Sequence[str], space: int) -> list[str]:
    """Return the first lines that fit into `space` characters."""
    fitting_lines: list[str] = []
    for line in lines:
        space -= len(line) + 1
        if space < 0:
            break
        fitting_lines.append(line)
    return fitting_lines


def render_field(label: str, text: str, width: int) -> list[str]:
    """Wrap a field below its own column, never within a word: a command must remain easy to copy."""
    return render_line(f"  {label:<6}  ", text, width)


def render_line(start: str, text: str, width: int) -> list[str]:
    """Wrap a text below its own start, never within a word. `width` 0: it is not wrapped."""
    if not width:
        return [f"{start}{text}"]
    return textwrap.wrap(
        text, max(width, 40), initial_indent=start, subsequent_indent=" " * len(start), break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


_MAX_NAME_CHARS = 60
"""Comparing is slow on long text, and no name is longer."""


SLIP = 0.8
"""Similarity from which a word is a misspelt name and nothing else: `date` is none of `updated`."""


def suggest_similar(word: str, names: Sequence[str], similarity: float = 0.6) -> str:
    """Return `did you mean …?`; empty if no name is close."""
    near = get_close_matches(word[:_MAX_NAME_CHARS].lower(), names, 1, similarity)
    return f"did you mean `{near[0]}`?" if near else ""
