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
    """Upper bound on the tokens of the prompt, without search results."""
    output: int
    """Requested tokens, or the model's maximum."""
    least_output: int
    """Minimum output in tokens; with less, the request is not worth sending."""
    search_cost: int = 0
    """Price per search in trillionths of a dollar; 0: the request cannot search."""

    @property
    def most_prompt(self) -> int:
        """Return the upper bound on the tokens of the prompt, with search results."""
        return self.prompt + (SEARCH_TOKENS if self.search_cost else 0)

    @property
    def fixed_cost(self) -> int:
        """Return the cost of everything except the output."""
        worst = self.row.find_worst_case(self.most_prompt)
        return self.most_prompt * worst.input + MAX_SEARCHES * self.search_cost

    @property
    def output_price(self) -> int:
        return self.row.find_worst_case(self.most_prompt).output


@dataclass(frozen=True)
class Reservation:
    """An admitted request and the output it may produce."""

    bound: CostBound
    output: int
    """Maximum output in tokens."""

    @property
    def worst(self) -> int:
        return self.bound.fixed_cost + self.output * self.bound.output_price

    def compute_cost(self, facts: AnswerFacts, *, is_started: bool) -> int | None:
        """Return the cost of the response; None: without a final count nobody knows it.

        The bytes that arrived are no measure, because hidden thinking leaves none.
        """
        if facts.final:
            return self.bound.row.compute_cost(facts.tokens) + facts.tokens.searches * self.bound.search_cost
        return 0 if facts.status and not is_started else None


@dataclass(frozen=True)
class CallBudget:
    """Spent and reserved money of one agent call. All amounts are in trillionths of a dollar."""

    budget: int
    settled: int = 0
    open: tuple[Reservation, ...] = ()
    """Reservations of the requests in flight."""
    cut_off: int = 0
    """Worst-case cost of the requests that ended without a final count: their provider may have billed them."""

    @property
    def total(self) -> int:
        return self.settled + self.cut_off + sum(reservation.worst for reservation in self.open)

    @property
    def sums_usd(self) -> tuple[float, float]:
        """Return the amount spent, and the amount reserved."""
        return self.settled / PER_USD, (self.total - self.settled) / PER_USD

    def grant(self, bound: CostBound) -> Reservation | None:
        """Grant as much output as the budget covers, at most the requested number; None if that is too little."""
        available = self.budget - self.total - bound.fixed_cost
        output = bound.output
        if bound.output_price:
            output = min(output, available // bound.output_price)
        return None if available < 0 or output < min(bound.least_output, bound.output) else Reservation(bound, output)

    def reserve(self, reservation: Reservation) -> "CallBudget":
        return replace(self, open=(*self.open, reservation))

    def settle(self, reservation: Reservation, cost: int | None) -> "CallBudget":
        """End a request. `cost` None: nobody knows it, so its worst case stays reserved."""
        index = self.open.index(reservation)  # equal reservations are interchangeable
        after = replace(self, open=self.open[:index] + self.open[index + 1 :])
        if cost is None:
            return replace(after, cut_off=self.cut_off + reservation.worst)
        return replace(after, settled=self.settled + cost)


def to_call_budget(budget_usd: float) -> CallBudget:
    """Convert US dollars to an unused budget."""
    return CallBudget(int(Decimal(budget_usd) * PER_USD))
