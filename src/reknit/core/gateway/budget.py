"""The budget of one agent call: a request's worst-case cost is reserved up front and settled by its response."""

from dataclasses import dataclass, replace
from decimal import Decimal

from reknit.core.gateway.metering import AnswerFacts
from reknit.core.gateway.prices import PER_USD, PriceRow

MAX_SEARCHES = 5
SEARCH_TOKENS = 100_000
"""The most that all search results of one request may add to its prompt."""


@dataclass(frozen=True)
class CostBound:
    """Upper bound on what one request may use."""

    row: PriceRow
    prompt: int
    """Upper bound in tokens."""
    output: int
    """As requested, or the model's maximum."""
    least_output: int
    """With less than this, the request is not worth sending."""
    search_cost: int = 0
    """The vendor's price per search; 0: the request cannot search."""

    @property
    def fixed_cost(self) -> int:
        """Everything except the output."""
        found = SEARCH_TOKENS if self.search_cost else 0
        return (self.prompt + found) * self.row.worst(self.prompt + found).input + MAX_SEARCHES * self.search_cost

    @property
    def output_price(self) -> int:
        return self.row.worst(self.prompt + (SEARCH_TOKENS if self.search_cost else 0)).output


@dataclass(frozen=True)
class Reservation:
    """An admitted request and the output it may produce."""

    need: CostBound
    output: int

    @property
    def worst(self) -> int:
        return self.need.fixed_cost + self.output * self.need.output_price

    def cost(self, facts: AnswerFacts, *, begun: bool) -> int:
        """From the response. Without a final count, assume the worst case: hidden thinking leaves no bytes to count."""
        if facts.final:
            return self.need.row.cost(facts.tokens) + facts.tokens.searches * self.need.search_cost
        return 0 if facts.status and not begun else self.worst


@dataclass(frozen=True)
class CallBudget:
    """All amounts are in trillionths of a dollar."""

    budget: int
    settled: int = 0
    open: tuple[Reservation, ...] = ()
    """Reservations of the requests in flight."""

    @property
    def total(self) -> int:
        return self.settled + sum(grant.worst for grant in self.open)

    @property
    def sums_usd(self) -> tuple[float, float]:
        """The amount spent, and the amount reserved."""
        return self.settled / PER_USD, (self.total - self.settled) / PER_USD

    def grant(self, need: CostBound) -> Reservation | None:
        """Grants as much output as the budget covers, at most what was requested; None if that is too little."""
        available = self.budget - self.total - need.fixed_cost
        output = need.output
        if need.output_price:
            output = min(output, available // need.output_price)
        return None if available < 0 or output < min(need.least_output, need.output) else Reservation(need, output)

    def opened(self, grant: Reservation) -> "CallBudget":
        return replace(self, open=(*self.open, grant))

    def closed(self, grant: Reservation, cost: int) -> "CallBudget":
        at = self.open.index(grant)  # any equal reservation will do
        return replace(self, open=self.open[:at] + self.open[at + 1 :], settled=self.settled + cost)


def budget_of(budget_usd: float) -> CallBudget:
    return CallBudget(int(Decimal(budget_usd) * PER_USD))
