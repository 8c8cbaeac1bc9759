"""Strategies: what an attempt may do differently from the previous one."""

from typing import Literal

Strategy = Literal["local", "search", "deep"]

ESCALATION: tuple[Strategy, ...] = ("local", "search", "deep")


def strategy_from(first: Strategy, attempt: int) -> Strategy:
    """As `strategy_of`, for work whose first attempt may already use more than the code."""
    return ESCALATION[min(ESCALATION.index(first) + attempt - 1, len(ESCALATION) - 1)]


def strategy_of(attempt: int, last: int = len(ESCALATION)) -> Strategy:
    """Attempt 1 reads the code, 2 may search the web, 3 and later look wider, as does the last of two or more."""
    return ESCALATION[-1] if attempt >= max(2, last) else ESCALATION[min(attempt, len(ESCALATION)) - 1]
