"""Lines that fit a width or a size."""

import textwrap
from collections.abc import Sequence

LONGEST = 60_000
"""GitHub accepts 65,535 characters."""


def fitting(lines: Sequence[str], space: int) -> list[str]:
    shown: list[str] = []
    for line in lines:
        space -= len(line) + 1
        if space < 0:
            break
        shown.append(line)
    return shown


def field(label: str, text: str, width: int) -> list[str]:
    """Wrapped under its own column, never within a word: a command must remain easy to copy."""
    if not width:
        return [f"  {label:<6}  {text}"]
    return textwrap.wrap(
        text, max(width, 40), initial_indent=f"  {label:<6}  ", subsequent_indent=" " * 10, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
