"""Strategies: the freedom of an attempt, which grows from attempt to attempt."""

from typing import Literal

Strategy = Literal["local", "search", "deep"]

ESCALATION: tuple[Strategy, ...] = ("local", "search", "deep")


def escalate_from(first: Strategy, attempt: int) -> Strategy:
    """Choose the strategy of an attempt if the first one may already use more than the code."""
    return ESCALATION[min(ESCALATION.index(first) + attempt - 1, len(ESCALATION) - 1)]


def choose_strategy(attempt: int, last: int = len(ESCALATION)) -> Strategy:
    """Choose the strategy of an attempt.

    Attempt 1 reads the code, 2 may search the web, 3 and later look wider, as does the last of two or more.
    """
    return ESCALATION[-1] if attempt >= max(2, last) else ESCALATION[min(attempt, len(ESCALATION)) - 1]
