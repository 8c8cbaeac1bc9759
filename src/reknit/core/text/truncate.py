"""Truncates text to bytes, characters or columns, marks where text is missing, and divides space fairly."""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

MARK = "…"


def count_bytes(text: str) -> int:
    """Return the size of the text in UTF-8."""
    return len(text.encode("utf-8", "replace"))


def truncate_bytes(text: str, limit_bytes: int) -> str:
    """Return whole characters from the start; empty if not even the mark fits."""
    if count_bytes(text) <= limit_bytes:
        return text
    if limit_bytes < count_bytes(MARK):
        return ""
    start = text.encode("utf-8", "replace")[: limit_bytes - count_bytes(MARK)].decode("utf-8", "ignore")
    return f"{start.rstrip()}{MARK}"


def truncate_chars(text: str, limit_chars: int) -> str:
    """Truncate prose; the mark follows the last word without a space."""
    return text if len(text) <= limit_chars else f"{text[: limit_chars - 1].rstrip()}{MARK}"


def cut_at_word(text: str, limit_chars: int) -> str:
    """Truncate a sentence after a whole word; only a word that is too long itself is cut."""
    if len(text) <= limit_chars:
        return text
    whole_words = text[:limit_chars].rpartition(" ")[0] or text[: limit_chars - 1]
    return f"{whole_words.rstrip(',;:')}{MARK}"


def truncate_columns(text: str, columns: int) -> str:
    """Truncate a line of a terminal to all its columns. 0: no limit."""
    return text if not columns or len(text) <= columns else f"{text[: columns - 1]}{MARK}"


def divide_fairly(requests: Sequence[int], space: int) -> list[int]:
    """Divide the space: small requests are met in full, the others get equal shares of the rest."""
    shares = [0] * len(requests)
    for served, place in enumerate(sorted(range(len(requests)), key=lambda place: requests[place])):
        shares[place] = min(requests[place], space // (len(requests) - served))
        space -= shares[place]
    return shares


def render_fairly(items: Sequence[T], render: Callable[[T, int], str], limit_bytes: int, most_bytes: int) -> list[str]:
    """Render each item: whole, up to `most_bytes`, or again for its share of the space."""
    whole = [render(item, most_bytes) for item in items]
    shares = divide_fairly([count_bytes(text) + 1 for text in whole], limit_bytes)
    return [
        text if count_bytes(text) < share else render(item, share - 1)
        for item, text, share in zip(items, whole, shares, strict=True)
    ]
