"""JUnit reports with the messages of failed tests as they are stored: without secrets, and truncated."""

import re
from dataclasses import replace

from reknit.core.testing.junit import parse
from reknit.core.testing.reported import ReportedTests
from reknit.core.text.redact import clean, redact

OUTPUT_CHARS = 4000
MESSAGE_CHARS = 2000
_FRAME = re.compile(r"(?:\s{0,8}File \"([^\"\n]{1,300})\", line \d|([^\s:]{1,300}\.py):\d{1,7}: (in )?)")
_FOREIGN = re.compile(r"-packages/|/lib/python\d|<frozen")


def read_junit(documents: tuple[bytes, ...]) -> ReportedTests:
    """Raises ValueError for a document that is not a complete JUnit report."""
    return with_stored_messages(parse(documents))


def with_stored_messages(found: ReportedTests) -> ReportedTests:
    return replace(found, messages={test: message(words) for test, words in found.messages.items()})


def message(words: str) -> str:
    """The first line and the end: they show the assertion and its location.

    Between them the calls in the project's own code, which say what was asked of a library: a host, a file.
    """
    text = safe_output(words)
    if len(text) <= MESSAGE_CHARS:
        return text
    first = text.partition("\n")[0][: MESSAGE_CHARS // 4]
    calls = _own_calls(text[len(first) : -(MESSAGE_CHARS - len(first))])[-MESSAGE_CHARS // 4 :]
    between = f"\n…\n{calls}\n…\n" if calls else "\n…\n"
    return f"{first}{between}{text[-(MESSAGE_CHARS - len(first) - len(calls)) :]}"


def _own_calls(text: str) -> str:
    """Each Python frame that is not a library's, with its line of code."""
    kept: list[str] = []
    pointed = ""
    lines = text.splitlines()
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith(">"):
            pointed = line
        found = _FRAME.match(line[:400])
        if found and not _FOREIGN.search(found[1] or found[2]):
            # pytest shows the code of its first and last frame above the place, that of the others below it.
            kept += [pointed, line] if found[2] and not found[3] else [line, below]
    return "\n".join(kept)


def safe_output(text: str) -> str:
    """Cleaned before it is cut, so that no half of a secret stays; the middle of a huge text is not worth the time."""
    head, tail = text[:OUTPUT_CHARS], text[-20 * OUTPUT_CHARS :]
    return redact(clean(tail if len(text) <= 20 * OUTPUT_CHARS else f"{head}\n…\n{tail}"))
