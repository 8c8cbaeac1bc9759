"""Prints for all commands, so that no text can control the terminal; colours follow the shape of a line."""

import os
import re
import sys

import click

from reknit.core.text.redact import escape_hidden

_GOOD, _OPEN, _BAD = "green", "yellow", "red"
_WORDS = {
    **dict.fromkeys(("CLEAN", "FIXED", "ok", "RESOLVED", "MERGED"), _GOOD),
    **dict.fromkeys(("PARTIAL", "DEFERRED", "STALLED", "CHURN", "EXHAUSTED", "OVER_BUDGET", "UNVERIFIED"), _OPEN),
    **dict.fromkeys(("CANCELLED", "warn", "wait", "waiting", "interrupted", "IN_PROGRESS"), _OPEN),
    **dict.fromkeys(("BLOCKED", "FAILED", "bad", "error"), _BAD),
}
_WORD = re.compile(rf"(?:^|(?<=  ))(?:{'|'.join(_WORDS)})(?=[ ,]|$)")
"""A word of a state at the start of a line or of a column."""
_ADDED, _REMOVED = re.compile(r"(?: {4})?\+"), re.compile(r"(?: {4})?-(?!-\w)")
"""Lines of a diff, which endings indent."""
_NEXT = re.compile(r"  next    ")


def echo(text: str, *, err: bool = False) -> None:
    """Print text without characters that control a terminal."""
    click.echo(escape_hidden(text), err=err)


def has_colour(*, err: bool = False) -> bool:
    """Return True if the stream is a terminal that shows colours, and nobody turned them off."""
    stream = sys.stderr if err else sys.stdout
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def print_coloured(text: str, *, err: bool = False) -> None:
    """Print text, with colours if the terminal has them, and without characters that control it."""
    lines = escape_hidden(text).split("\n")
    colours = has_colour(err=err)
    click.echo("\n".join(map(_colour_line, lines) if colours else lines), err=err, color=colours)


def _colour_line(line: str) -> str:
    if _ADDED.match(line) or _REMOVED.match(line):
        return click.style(line, fg=_GOOD if _ADDED.match(line) else _BAD)
    if _NEXT.match(line):
        return click.style(line, bold=True)
    return _WORD.sub(lambda match: click.style(match[0], fg=_WORDS[match[0]], bold=True), line, count=1)
