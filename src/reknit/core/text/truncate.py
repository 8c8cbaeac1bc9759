"""Room in a prompt: how it is shared out, and how a text is cut to its share."""

from collections.abc import Sequence

MARK = "…"


def byte_length(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def truncate_bytes(text: str, limit_bytes: int) -> str:
    """Whole characters of the start, with a mark where something is missing."""
    if byte_length(text) <= limit_bytes:
        return text
    if limit_bytes < byte_length(MARK):
        return ""
    kept = text.encode("utf-8", "replace")[: limit_bytes - byte_length(MARK)].decode("utf-8", "ignore")
    return f"{kept.rstrip()}{MARK}"


def fair_shares(wanted: Sequence[int], room: int) -> list[int]:
    """The small ones first get what they want; what they leave goes to the others in equal parts."""
    given = [0] * len(wanted)
    for done, place in enumerate(sorted(range(len(wanted)), key=lambda place: wanted[place])):
        given[place] = min(wanted[place], room // (len(wanted) - done))
        room -= given[place]
    return given
