"""Bounds on the content of a report: text is cut and cleaned, numbers out of range are dropped."""

import re

from reknit.core.text.redact import clean, redact
from reknit.core.text.truncate import truncate_columns

MESSAGE_CHARS = 4000
SUGGESTION_CHARS = 4000
SNIPPET_CHARS = 500
RULE_CHARS = 200
PATH_CHARS = 1000
TOOL_CHARS = 100
GIVEN_CHARS = 500
URL_CHARS = 1000
SHORT_CHARS = 500
"""Text up to this length needs no cut, whether it is message, snippet, path or fingerprint."""
WORDS_CHARS = 80
LAST_LINE = 2**31 - 1
MOST_FILES = 10_000
"""A larger number is not an estimate."""

UNNAMED = "unnamed"
"""The rule of a result that names none."""

# Control characters, lone surrogates, and what changes the text direction: no honest path has them.
UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def bounded(text: str | None, limit: int) -> str:
    """Most texts are short and plain, and those must cost almost nothing: there may be a million."""
    if text is None:
        return ""
    if len(text) <= limit and text.isascii() and text.isprintable():
        return text
    text = text[: 2 * limit]  # cleaning may remove some of it
    if not (text.isascii() and text.replace("\n", "").isprintable()):
        text = clean(text)
    return text.strip("\n")[:limit]


def first_words(data: bytes) -> str:
    """The start of a file that should be a report but is not, to show what it is: on one line, without secrets."""
    words = " ".join(redact(clean(data[:4096].decode("utf-8", "replace"))).split())
    return truncate_columns(words, WORDS_CHARS)


def rule_name(*names: str | None) -> str:
    """The first name that is not empty."""
    cut = (bounded(name, RULE_CHARS).strip() for name in names)
    return next(filter(None, cut), UNNAMED)


def path_text(path: str | None) -> str:
    """As in the report; empty if it names no file: a path that is cut or cleaned is a different file."""
    if path is None or len(path) > PATH_CHARS:
        return ""
    if path.isascii() and path.isprintable():
        return path
    return "" if UNFIT.search(path) else path


def counted(number: int | None) -> int:
    """A 1-based line or column; 0 if it is not one."""
    return number if number is not None and 0 < number <= LAST_LINE else 0


def digits(text: str | None) -> int:
    """The same, for a number written as text."""
    return counted(int(text)) if text and len(text) <= 10 and text.isascii() and text.isdigit() else 0


def estimate(number: object, most: int) -> int:
    return number if type(number) is int and 1 <= number <= most else 0
