"""Strategies: what an attempt may do differently from the previous one."""

from typing import Literal

Strategy = Literal["local", "search", "deep"]

ESCALATION: tuple[Strategy, ...] = ("local", "search", "deep")


def strategy_of(attempt: int, last: int = len(ESCALATION)) -> Strategy:
    """Attempt 1 looks at the code, 2 may search the web, 3 and later look more widely; so does the last of several."""
    return ESCALATION[-1] if attempt >= max(2, last) else ESCALATION[min(attempt, len(ESCALATION)) - 1]
