"""The money of one agent call: the worst case of a request is set aside before it passes, and settled by its answer."""

from dataclasses import dataclass, replace
from decimal import Decimal

from reknit.core.gateway.metering import AnswerFacts
from reknit.core.gateway.prices import PER_USD, PriceRow

MAX_SEARCHES = 5
SEARCH_TOKENS = 100_000
"""What the results of all the searches of one request may add to its prompt."""


@dataclass(frozen=True)
class CostBound:
    """What one request may use at most."""

    row: PriceRow
    prompt: int
    """An upper bound of its tokens."""
    output: int
    """What was asked for, or the most the model gives."""
    least_output: int
    """With less than this it is not worth to be sent."""
    search_cost: int = 0
    """Of one search at the vendor; 0: it cannot search."""

    @property
    def fixed_cost(self) -> int:
        """All but the output."""
        found = SEARCH_TOKENS if self.search_cost else 0
        return (self.prompt + found) * self.row.worst(self.prompt + found).input + MAX_SEARCHES * self.search_cost

    @property
    def output_price(self) -> int:
        return self.row.worst(self.prompt + (SEARCH_TOKENS if self.search_cost else 0)).output


@dataclass(frozen=True)
class Reservation:
    """A request that may pass, with so much output."""

    need: CostBound
    output: int

    @property
    def worst(self) -> int:
        return self.need.fixed_cost + self.output * self.need.output_price

    def cost(self, facts: AnswerFacts, *, begun: bool) -> int:
        """By its answer. Without a last count it is the worst case: hidden thinking leaves no bytes to count."""
        if facts.final:
            return self.need.row.cost(facts.tokens) + facts.tokens.searches * self.need.search_cost
        return 0 if facts.status and not begun else self.worst


@dataclass(frozen=True)
class CallBudget:
    """All sums in trillionths of a dollar."""

    budget: int
    settled: int = 0
    open: tuple[Reservation, ...] = ()
    """Of the requests on their way."""

    @property
    def total(self) -> int:
        return self.settled + sum(grant.worst for grant in self.open)

    @property
    def sums_usd(self) -> tuple[float, float]:
        """What was spent, and what is set aside."""
        return self.settled / PER_USD, (self.total - self.settled) / PER_USD

    def grant(self, need: CostBound) -> Reservation | None:
        """As much output as there is money for, at most what was asked for; None when that is too little."""
        room = self.budget - self.total - need.fixed_cost
        output = need.output
        if need.output_price:
            output = min(output, room // need.output_price)
        return None if room < 0 or output < min(need.least_output, need.output) else Reservation(need, output)

    def opened(self, grant: Reservation) -> "CallBudget":
        return replace(self, open=(*self.open, grant))

    def closed(self, grant: Reservation, cost: int) -> "CallBudget":
        at = self.open.index(grant)  # an equal one is as good
        return replace(self, open=self.open[:at] + self.open[at + 1 :], settled=self.settled + cost)


def purse_of(budget_usd: float) -> CallBudget:
    return CallBudget(int(Decimal(budget_usd) * PER_USD))
