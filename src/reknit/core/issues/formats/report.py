"""A tool's report while it is read, and the bounds on its content: text is cut and cleaned, bad numbers dropped."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reknit.core.errors import UsageError
from reknit.core.issues.model import ReportResult
from reknit.core.text.redact import clean, redact
from reknit.core.text.truncate import truncate_columns
from reknit.core.text.untrusted_input import Data


class ReportError(UsageError):
    """A report that cannot be read, or that checked nothing. It is never taken for a clean one."""

    def __init__(self, what: str, *, help: str = "", where: str = "") -> None:  # noqa: A002
        super().__init__("report", what, help=help, where=where)


@dataclass(frozen=True)
class Report:
    """The tools of a report, and an iterator over its results."""

    tools: tuple[str, ...]
    """Every tool that reported, including those that found nothing."""
    results: Iterator[ReportResult]
    """Results, which can be read once. A broken report raises ReportError where it breaks."""
    partial: str = ""
    """Why the tools did not check everything: what they no longer report may still exist."""


Reader = Callable[[Data], Report]


MESSAGE_CHARS = 4000
SUGGESTION_CHARS = 4000
SNIPPET_CHARS = 500
RULE_CHARS = 200
PATH_CHARS = 1000
TOOL_CHARS = 100
FINGERPRINT_CHARS = 500
URL_CHARS = 1000
SHORT_CHARS = 500
"""Length up to which no text needs a cut: message, snippet, path or fingerprint."""
QUOTE_CHARS = 80
LAST_LINE = 2**31 - 1
MAX_ESTIMATED_FILES = 10_000
"""Maximum estimate of files; a larger number is not an estimate."""

UNNAMED = "unnamed"
"""Rule of a result that names none."""

# Control characters, lone surrogates, and what changes the text direction: no honest path has them.
UNSAFE_CHARACTERS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def bound_text(text: str | None, limit: int) -> str:
    """Cut and clean a text. Short and plain texts must cost almost nothing: there may be a million."""
    if text is None:
        return ""
    if len(text) <= limit and text.isascii() and text.isprintable():
        return text
    text = text[: 2 * limit]  # cleaning may remove some of it
    if not (text.isascii() and text.replace("\n", "").isprintable()):
        text = clean(text)
    return text.strip("\n")[:limit]


def quote_start(data: bytes) -> str:
    """Return the start of a file that is no report, on one line and without secrets, for an error message."""
    text = " ".join(redact(clean(data[:4096].decode("utf-8", "replace"))).split())
    return truncate_columns(text, QUOTE_CHARS)


def choose_rule_name(*names: str | None) -> str:
    """Return the first name that is not empty, cut and cleaned, or `UNNAMED`."""
    cleaned_names = (bound_text(name, RULE_CHARS).strip() for name in names)
    return next(filter(None, cleaned_names), UNNAMED)


def check_path(path: str | None) -> str:
    """Return the path; empty if it is too long or unsafe, because a cut or cleaned path is another file."""
    if path is None or len(path) > PATH_CHARS:
        return ""
    if path.isascii() and path.isprintable():
        return path
    return "" if UNSAFE_CHARACTERS.search(path) else path


def check_position(number: int | None) -> int:
    """Return the 1-based line or column; 0 if it is not one."""
    return number if number is not None and 0 < number <= LAST_LINE else 0


def parse_position(text: str | None) -> int:
    """Return the line or column that is written as text; 0 if it is not one."""
    return check_position(int(text)) if text and len(text) <= 10 and text.isascii() and text.isdigit() else 0


def check_estimate(number: object, most: int) -> int:
    """Return the number; 0 if it is not between 1 and `most`."""
    return number if type(number) is int and 1 <= number <= most else 0
