"""JUnit reports with the messages of failed tests as they are stored: without secrets, and truncated."""

from dataclasses import replace

from reknit.core.testing.junit import parse
from reknit.core.testing.reported import ReportedTests
from reknit.core.text.redact import clean, redact

OUTPUT_CHARS = 4000
MESSAGE_CHARS = 2000


def read_junit(documents: tuple[bytes, ...]) -> ReportedTests:
    """Raises ValueError for a document that is not a complete JUnit report."""
    return with_stored_messages(parse(documents))


def with_stored_messages(found: ReportedTests) -> ReportedTests:
    return replace(found, messages={test: message(words) for test, words in found.messages.items()})


def message(words: str) -> str:
    """The first line and the end: they show the assertion and its location."""
    text = safe_output(words)
    if len(text) <= MESSAGE_CHARS:
        return text
    first = text.partition("\n")[0][: MESSAGE_CHARS // 4]
    return f"{first}\n…\n{text[-(MESSAGE_CHARS - len(first)) :]}"


def safe_output(text: str) -> str:
    """Cleaned before it is cut, so that no half of a secret stays; the middle of a huge text is not worth the time."""
    head, tail = text[:OUTPUT_CHARS], text[-20 * OUTPUT_CHARS :]
    return redact(clean(tail if len(text) <= 20 * OUTPUT_CHARS else f"{head}\n…\n{tail}"))
