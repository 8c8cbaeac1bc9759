"""JUnit reports with the messages of failed tests as they are kept: without secrets, and cut to what tells."""

from dataclasses import replace

from reknit.core.testing.junit import JUnit, parse
from reknit.core.text.redact import clean, redact

OUTPUT_CHARS = 4000
MESSAGE_CHARS = 2000


def read_junit(documents: tuple[bytes, ...]) -> JUnit:
    """Raises ValueError for a document that is not a whole JUnit report."""
    found = parse(documents)
    return replace(found, messages={test: message(words) for test, words in found.messages.items()})


def message(words: str) -> str:
    """The first line and the end: there the assertion and its place stand."""
    text = safe_output(words)
    if len(text) <= MESSAGE_CHARS:
        return text
    first = text.partition("\n")[0][: MESSAGE_CHARS // 4]
    return f"{first}\n…\n{text[-(MESSAGE_CHARS - len(first)) :]}"


def safe_output(text: str) -> str:
    """Cleaned before it is cut, so that no half of a secret stays; the start of a huge text is not worth the time."""
    head, tail = text[:OUTPUT_CHARS], text[-20 * OUTPUT_CHARS :]
    return redact(clean(tail if len(text) <= 20 * OUTPUT_CHARS else f"{head}\n…\n{tail}"))
