"""The budget of one agent call: a request's worst-case cost is reserved up front and settled by its response."""

from dataclasses import dataclass, replace
from decimal import Decimal

from reknit.core.gateway.metering import AnswerFacts
from reknit.core.gateway.prices import PER_USD, PriceRow

MAX_SEARCHES = 5
SEARCH_TOKENS = 100_000
"""Maximum tokens that all search results of one request may add to its prompt."""


@dataclass(frozen=True)
class CostBound:
    """Upper bound on the cost of one request."""

    row: PriceRow
    prompt: int
    """Upper bound in tokens."""
    output: int
    """Requested tokens, or the model's maximum."""
    least_output: int
    """Minimum in tokens; with less, the request is not worth sending."""
    search_cost: int = 0
    """Price per search in trillionths of a dollar; 0: the request cannot search."""

    @property
    def fixed_cost(self) -> int:
        """Return the cost of everything except the output."""
        search_tokens = SEARCH_TOKENS if self.search_cost else 0
        return (self.prompt + search_tokens) * self.row.worst(
            self.prompt + search_tokens
        ).input + MAX_SEARCHES * self.search_cost

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

    def cost(self, facts: AnswerFacts, *, is_started: bool) -> int:
        """Return the cost of the response.

        Without a final count it is the worst case: hidden thinking leaves no bytes to count.
        """
        if facts.final:
            return self.need.row.cost(facts.tokens) + facts.tokens.searches * self.need.search_cost
        return 0 if facts.status and not is_started else self.worst


@dataclass(frozen=True)
class CallBudget:
    """Spent and reserved money of one agent call. All amounts are in trillionths of a dollar."""

    budget: int
    settled: int = 0
    open: tuple[Reservation, ...] = ()
    """Reservations of the requests in flight."""

    @property
    def total(self) -> int:
        return self.settled + sum(grant.worst for grant in self.open)

    @property
    def sums_usd(self) -> tuple[float, float]:
        """Return the amount spent, and the amount reserved."""
        return self.settled / PER_USD, (self.total - self.settled) / PER_USD

    def grant(self, need: CostBound) -> Reservation | None:
        """Grant as much output as the budget covers, at most the requested number; None if that is too little."""
        available = self.budget - self.total - need.fixed_cost
        output = need.output
        if need.output_price:
            output = min(output, available // need.output_price)
        return None if available < 0 or output < min(need.least_output, need.output) else Reservation(need, output)

    def reserve(self, grant: Reservation) -> "CallBudget":
        return replace(self, open=(*self.open, grant))

    def settle(self, grant: Reservation, cost: int) -> "CallBudget":
        at = self.open.index(grant)  # any equal reservation will do
        return replace(self, open=self.open[:at] + self.open[at + 1 :], settled=self.settled + cost)


def to_call_budget(budget_usd: float) -> CallBudget:
    """Convert US dollars to an unused budget."""
    return CallBudget(int(Decimal(budget_usd) * PER_USD))
