"""A billable model request: its worst-case cost and the body to forward."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from reknit.core.gateway.budget import MAX_SEARCHES, CostBound, Reservation
from reknit.core.gateway.policy import OVER_BUDGET
from reknit.core.gateway.prices import PER_USD, PriceRow
from reknit.core.gateway.token_bound import CountedRequest, RequestPart, most_tokens, parts_of
from reknit.core.gateway.wire import Wire
from reknit.core.gateway.wire.nodes import Bulk
from reknit.core.text.json_body import Json, encoded

_MAX_OUTPUT = 32_000
"""Per response. Some CLIs request four times as much and never use it, and all of it would have to be reserved."""


@dataclass(frozen=True)
class PricedRequest:
    wire: Wire
    model: str
    row: PriceRow
    body: bytes
    content: Json

    def need(self, earlier: Iterable[CountedRequest]) -> CostBound:
        asked = self.wire.asked_output(self.content)
        return CostBound(
            row=self.row,
            prompt=most_tokens(self.model, len(self.body), self.parts, self.bulks, earlier),
            output=min(_MAX_OUTPUT, (self.row.max_output or _MAX_OUTPUT) if asked is None else asked),
            least_output=self.wire.least_output(self.content),
            search_cost=round(self.wire.SEARCH_USD * PER_USD) if self.wire.searches(self.content) else 0,
        )

    def over_budget(self, need: CostBound, left: int) -> str:
        """Why the budget does not cover it, in a sentence that a person can act on."""
        least = need.fixed_cost + need.least_output * need.output_price
        guess = (
            ""
            if self.row.is_for(self.model)
            else "; prices.toml has no row for it, so the provider's highest price applies"
        )
        worst = f"a request to {self.model} may cost ${least / PER_USD:.2f}, ${max(0, left) / PER_USD:.2f} is left"
        return f"{OVER_BUDGET}: {worst}{guess}"

    @cached_property
    def parts(self) -> tuple[RequestPart, ...]:
        return parts_of(self.content)

    @cached_property
    def bulks(self) -> tuple[Bulk, ...]:
        return tuple(self.wire.bulks(self.content))

    def granted(self, grant: Reservation) -> bytes:
        """The body to forward; the box's own bytes if they need no change."""
        content = self.wire.limited(self.content, grant.output, MAX_SEARCHES)
        return self.body if content == self.content else encoded(content)

    def counted(self, prompt: int) -> CountedRequest | None:
        """For comparison with later bodies; None if its count says nothing about them."""
        if not prompt or self.wire.may_shrink(self.content):
            return None
        return CountedRequest(self.model, self.parts, self.bulks, prompt)
