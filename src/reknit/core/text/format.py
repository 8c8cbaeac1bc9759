"""Short texts for people: durations, money, places, short lists, and untrusted text as one line."""

from collections.abc import Sequence

from reknit.core.text.redact import clean, redact
from reknit.core.text.truncate import truncate_chars

TEXT = 240


def words(text: str, most: int = TEXT) -> str:
    """Untrusted text: one line, nothing hidden, no secret, truncated."""
    return truncate_chars(one_line(redact(clean(text))), most)


def seconds(value: float) -> str:
    if value < 10:
        return f"{value:.1f} s"
    if value < 100:
        return f"{value:.0f} s"
    return f"{int(value // 60)}m{int(value % 60):02d}s"


def one_line(text: str) -> str:
    """A test name comes from the repository: it must not add lines to our output."""
    return " ".join(clean(text).split())


def first_few(texts: Sequence[str], most: int = 3, between: str = ", ") -> str:
    """`a, b, c …`"""
    return between.join(texts[:most]) + (" …" if len(texts) > most else "")


def counted(count: int, noun: str) -> str:
    """`1 test`, `2 tests`"""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def first_and_more(texts: Sequence[str], most: int = 3, between: str = ", ") -> str:
    """`a, b, c and 4 more`"""
    return between.join(texts[:most]) + (f" and {len(texts) - most} more" if len(texts) > most else "")


def spent_of(spent_usd: float, budget_usd: float) -> str:
    return f"${spent_usd:.2f} of ${budget_usd:.2f}"


def file_line(file: str, line: int) -> str:
    """`shop/a.py:7`; a line of 0 is not known."""
    return f"{file}:{line}" if file and line else file
