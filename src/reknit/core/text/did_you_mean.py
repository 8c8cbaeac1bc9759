"""A hint for a name that is not known."""

from collections.abc import Sequence
from difflib import get_close_matches

_LONGEST = 60
"""Comparing is slow on long text, and no name is longer."""


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """`did you mean …?`; empty if nothing is close."""
    near = get_close_matches(word[:_LONGEST].lower(), known, n=1)
    return f"did you mean `{near[0]}`?" if near else ""
