"""Chooses the strategy of an attempt: later attempts may use more than earlier ones."""

from typing import Literal

Strategy = Literal["local", "search", "deep"]

ESCALATION: tuple[Strategy, ...] = ("local", "search", "deep")


def escalate_from(first: Strategy, attempt: int) -> Strategy:
    """Return the strategy of an attempt if attempt 1 has the strategy `first`."""
    return ESCALATION[min(ESCALATION.index(first) + attempt - 1, len(ESCALATION) - 1)]


def choose_strategy(attempt: int, last: int = len(ESCALATION)) -> Strategy:
    """Return the strategy of an attempt.

    Attempt 1 is `local`, attempt 2 `search`, and all later ones are `deep`. The last of two or more is `deep` too.
    """
    return ESCALATION[-1] if attempt >= max(2, last) else ESCALATION[min(attempt, len(ESCALATION)) - 1]
