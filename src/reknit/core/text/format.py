"""Short texts for people: durations, and untrusted text as one line."""

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
