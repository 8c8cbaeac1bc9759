"""The money of one run: what was spent, and apart from that what is reserved and may have been billed."""

import math
from dataclasses import dataclass

from reknit.core.text.format import format_spending


@dataclass(frozen=True)
class Spending:
    """Money of a run in US dollars."""

    spent_usd: float
    """Cost of the answers that arrived in full."""
    budget_usd: float
    held_usd: float = 0.0
    """Reserved, and not known to be spent: for open requests, and for requests that were cut off."""


def format_maximum(usd: float) -> str:
    """Return an upper bound in whole cents, never rounded down: `$0.41`."""
    return f"${math.ceil(round(usd * 100, 6)) / 100:.2f}"


def render_spending(money: Spending, *, has_ended: bool) -> str:
    """Return the spent and the allowed amount, and apart from them what is reserved, if anything is.

    `has_ended`: no request is open any more, so what is still reserved belongs to requests that were cut off.
    """
    spending = format_spending(money.spent_usd, money.budget_usd)
    if money.held_usd <= 0:
        return spending
    most = format_maximum(money.held_usd)
    if has_ended:
        return f"{spending} spent; up to {most} more may have been billed for requests that were cut off"
    return f"{spending} spent, up to {most} reserved"


def render_spending_sentence(money: Spending, *, has_ended: bool) -> str:
    """Return `render_spending` as a sentence: `Spent $1.20 of $5.00.`."""
    spending = render_spending(money, has_ended=has_ended)
    return f"{spending}." if money.held_usd > 0 else f"Spent {spending}."
