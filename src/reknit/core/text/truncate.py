"""Room in a prompt: how it is shared out, and how a text is cut to its share."""

from collections.abc import Sequence

MARK = "…"


def size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def cut(text: str, limit_bytes: int) -> str:
    """Whole characters of the start, with a mark where something is missing."""
    if size(text) <= limit_bytes:
        return text
    if limit_bytes < size(MARK):
        return ""
    kept = text.encode("utf-8", "replace")[: limit_bytes - size(MARK)].decode("utf-8", "ignore")
    return f"{kept.rstrip()}{MARK}"


def shares(wanted: Sequence[int], room: int) -> list[int]:
    """The small ones first get what they want; what they leave goes to the others in equal parts."""
    given = [0] * len(wanted)
    for done, place in enumerate(sorted(range(len(wanted)), key=lambda place: wanted[place])):
        given[place] = min(wanted[place], room // (len(wanted) - done))
        room -= given[place]
    return given
