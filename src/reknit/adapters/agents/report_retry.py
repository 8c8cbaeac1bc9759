"""Retries a reviewer once if its report was missing or invalid: same call, within its remaining time and budget."""

import dataclasses
from dataclasses import dataclass

from reknit.core.agents.call import AgentCall, AgentOrder, Usage
from reknit.core.agents.outcome import correction
from reknit.ports.gateway import Accounts, CallAccounting


def corrected(order: AgentOrder, call: AgentCall) -> AgentOrder | None:
    """The same order plus what was wrong, with the remaining time and budget; None: there is no retry."""
    words = correction(call.outcome)
    wall_s, budget_usd = order.wall_s - call.seconds, order.budget_usd - call.usage.cost_usd
    if not words or wall_s <= 0 or budget_usd <= 0:
        return None
    return dataclasses.replace(order, prompt=f"{order.prompt}\n\n{words}", wall_s=wall_s, budget_usd=budget_usd)


def joined(first: AgentCall, second: AgentCall) -> AgentCall:
    one, two = first.usage, second.usage
    return dataclasses.replace(
        second,
        usage=Usage(
            one.input_tokens + two.input_tokens,
            one.cached_tokens + two.cached_tokens,
            one.output_tokens + two.output_tokens,
            one.requests + two.requests,
            one.cost_usd + two.cost_usd,
        ),
        seconds=first.seconds + second.seconds,
        refusals=tuple(dict.fromkeys((*first.refusals, *second.refusals))),
    )


@dataclass(frozen=True)
class FurtherAccounting:
    """The call's accounting for its second process: what the first one spent still counts."""

    accounting: CallAccounting
    before_usd: float

    @property
    def accounts(self) -> Accounts:
        return self.accounting.accounts

    def spent(self, usd: float, held_usd: float = 0.0) -> None:
        self.accounting.spent(self.before_usd + usd, held_usd)
