"""Bounds for what a report says: texts are cut and cleaned, numbers out of range are not said."""

import re

from reknit.core.text.redact import clean, redact

MESSAGE_CHARS = 4000
SUGGESTION_CHARS = 4000
SNIPPET_CHARS = 500
RULE_CHARS = 200
PATH_CHARS = 1000
TOOL_CHARS = 100
GIVEN_CHARS = 500
URL_CHARS = 1000
SHORT_CHARS = 500
"""What is not longer needs no cut, whichever of message, snippet, path and fingerprint it is."""
WORDS_CHARS = 80
LAST_LINE = 2**31 - 1
MOST_FILES = 10_000
"""More is no estimate."""

UNNAMED = "unnamed"
"""The rule of a result that names none."""

# Controls, halves of characters, and what turns the direction of a text: no honest path has them.
UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def bounded(text: str | None, limit: int) -> str:
    """Most texts are short and plain, and those must cost next to nothing: there may be a million."""
    if text is None:
        return ""
    if len(text) <= limit and text.isascii() and text.isprintable():
        return text
    text = text[: 2 * limit]  # some of it may be taken out
    if not (text.isascii() and text.replace("\n", "").isprintable()):
        text = clean(text)
    return text.strip("\n")[:limit]


def first_words(data: bytes) -> str:
    """Of what should be a report and is none, so that one sees what it is: in one line, without secrets."""
    words = " ".join(redact(clean(data[:4096].decode("utf-8", "replace"))).split())
    return words if len(words) <= WORDS_CHARS else f"{words[: WORDS_CHARS - 1]}…"


def rule_name(*names: str | None) -> str:
    """The first of them that is one."""
    cut = (bounded(name, RULE_CHARS).strip() for name in names)
    return next(filter(None, cut), UNNAMED)


def path_text(path: str | None) -> str:
    """As the report has it; empty for one that names no file: a path that is cut or cleaned is another file."""
    if path is None or len(path) > PATH_CHARS:
        return ""
    if path.isascii() and path.isprintable():
        return path
    return "" if UNFIT.search(path) else path


def counted(number: int | None) -> int:
    """A line or column from 1; 0 for what is none."""
    return number if number is not None and 0 < number <= LAST_LINE else 0


def digits(text: str | None) -> int:
    """The same of a number that is written as a text."""
    return counted(int(text)) if text and len(text) <= 10 and text.isascii() and text.isdigit() else 0


def estimate(number: object, most: int) -> int:
    return number if type(number) is int and 1 <= number <= most else 0
