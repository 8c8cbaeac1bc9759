"""Retries a reviewer once if its report was missing or invalid: same call, within its remaining time and budget."""

import dataclasses
from dataclasses import dataclass

from reknit.core.agent_reports.session import raw_text
from reknit.core.agent_reports.values import RefusedAnswer
from reknit.core.agents.call import AgentCall, AgentOrder, Usage
from reknit.core.agents.outcome import correction
from reknit.core.gateway.access import GatewayObservation
from reknit.ports.gateway import Accounts, CallAccounting


def corrected(order: AgentOrder, call: AgentCall) -> AgentOrder | None:
    """The same order plus what was wrong, with the remaining time and budget; None: there is no retry."""
    words, answers = correction(call.outcome), order.answers - max(1, len(call.refused_answers))
    wall_s, budget_usd = order.wall_s - call.seconds, order.budget_usd - call.usage.cost_usd
    if not words or wall_s <= 0 or budget_usd <= 0 or (order.role == "plan" and answers <= 0):
        return None
    prompt = f"{order.prompt}\n\n{words}"
    return dataclasses.replace(order, prompt=prompt, wall_s=wall_s, budget_usd=budget_usd, answers=answers)


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
        refused_answers=(*first.refused_answers, *second.refused_answers),
    )


def refused_answers(seen: GatewayObservation, order: AgentOrder, said: str) -> tuple[RefusedAnswer, ...]:
    """Prose instead of a plan is a refused answer too."""
    if order.role != "plan" or seen.report or seen.refused_answers or not said:
        return seen.refused_answers
    return (RefusedAnswer(raw_text(said), seen.report_problem),)


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
