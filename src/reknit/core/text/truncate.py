"""Truncates text to bytes, characters or columns, with a mark where something is missing; divides space fairly."""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

MARK = "…"


def byte_length(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def truncate_bytes(text: str, limit_bytes: int) -> str:
    """Whole characters from the start, for a prompt; empty if not even the mark fits."""
    if byte_length(text) <= limit_bytes:
        return text
    if limit_bytes < byte_length(MARK):
        return ""
    kept = text.encode("utf-8", "replace")[: limit_bytes - byte_length(MARK)].decode("utf-8", "ignore")
    return f"{kept.rstrip()}{MARK}"


def truncate_chars(text: str, limit_chars: int) -> str:
    return text if len(text) <= limit_chars else f"{text[: limit_chars - 1].rstrip()}{MARK}"


def truncate_columns(text: str, columns: int) -> str:
    """For a line of a terminal: fills all columns. 0: no limit."""
    return text if not columns or len(text) <= columns else f"{text[: columns - 1]}{MARK}"


def fair_shares(wanted: Sequence[int], space: int) -> list[int]:
    """Small requests are met in full; the rest is divided equally among the others."""
    given = [0] * len(wanted)
    for done, place in enumerate(sorted(range(len(wanted)), key=lambda place: wanted[place])):
        given[place] = min(wanted[place], space // (len(wanted) - done))
        space -= given[place]
    return given


def in_fair_shares(items: Sequence[T], render: Callable[[T, int], str], limit_bytes: int, most_bytes: int) -> list[str]:
    """Each item as text: whole, up to `most_bytes`, or rendered again for its share of the space."""
    whole = [render(item, most_bytes) for item in items]
    shares = fair_shares([byte_length(text) + 1 for text in whole], limit_bytes)
    return [
        text if byte_length(text) < share else render(item, share - 1)
        for item, text, share in zip(items, whole, shares, strict=True)
    ]
