"""Model access of one agent call, and the retry of a reviewer whose report was missing or invalid."""

import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from reknit.core.agent_reports.session import clean_raw_text
from reknit.core.agent_reports.values import RefusedAnswer
from reknit.core.agents.call import AgentCall, AgentOrder, Usage
from reknit.core.agents.outcome import format_correction
from reknit.core.gateway.access import GatewayObservation, ModelAccess, ProviderName, compute_request_limit
from reknit.ports.gateway import Accounts, CallAccounting


def make_retry_order(order: AgentOrder, call: AgentCall) -> AgentOrder | None:
    """Return the order for a second call that explains the mistake, within the remaining limits; None: do not retry."""
    words, answers = format_correction(call.outcome), order.answers - max(1, len(call.refused_answers))
    wall_s, budget_usd = order.wall_s - call.seconds, order.budget_usd - call.usage.cost_usd - call.usage.held_usd
    if not words or wall_s <= 0 or budget_usd <= 0 or (order.role == "plan" and answers <= 0):
        return None
    prompt = f"{order.prompt}\n\n{words}"
    return dataclasses.replace(order, prompt=prompt, wall_s=wall_s, budget_usd=budget_usd, answers=answers)


def join_calls(first: AgentCall, second: AgentCall) -> AgentCall:
    """Return the second call with the sums of both calls."""
    one, two = first.usage, second.usage
    return dataclasses.replace(
        second,
        usage=Usage(
            one.input_tokens + two.input_tokens,
            one.cached_tokens + two.cached_tokens,
            one.output_tokens + two.output_tokens,
            one.requests + two.requests,
            one.cost_usd + two.cost_usd,
            one.held_usd + two.held_usd,
        ),
        seconds=first.seconds + second.seconds,
        refusals=tuple(dict.fromkeys((*first.refusals, *second.refusals))),
        refused_answers=(*first.refused_answers, *second.refused_answers),
    )


def list_refused_answers(observation: GatewayObservation, order: AgentOrder, words: str) -> tuple[RefusedAnswer, ...]:
    """Return the answers that were refused. If a planner wrote prose and no plan, that is one of them."""
    if order.role != "plan" or observation.report or observation.refused_answers or not words:
        return observation.refused_answers
    return (RefusedAnswer(clean_raw_text(words), observation.report_problem),)


@dataclass(frozen=True)
class RetryAccounting:
    """Accounting for the second call of an attempt: it adds the cost of the first one."""

    accounting: CallAccounting
    first_call: Usage

    @property
    def accounts(self) -> Accounts:
        return self.accounting.accounts

    def record_cost(self, usd: float, held_usd: float = 0.0) -> None:
        self.accounting.record_cost(self.first_call.cost_usd + usd, self.first_call.held_usd + held_usd)


def account_name(provider: str, key: str) -> str:
    """Return a name for the account that owns the key. The name does not reveal the key."""
    return f"{provider}:{hashlib.sha256(key.encode()).hexdigest()[:16]}" if key else ""


def read_key(environment: Mapping[str, str], name: str) -> str:
    """Return the key without surrounding white space; empty if it contains a character that no key has."""
    key = environment.get(name, "").strip()
    return key if key.isascii() and key.isprintable() and " " not in key else ""


def may_search(order: AgentOrder) -> bool:
    """Return True if the model may search the web in this attempt."""
    return order.strategy == "search" and order.role == "fix"


def make_access(
    order: AgentOrder, provider: ProviderName, *, upstream: str, key: str, model: str, login: bool = False
) -> ModelAccess:
    """Return the access that an agent requests from the gateway for one call."""
    return ModelAccess(
        provider=provider,
        upstream=upstream,
        key=key,
        account=account_name(provider, key),
        budget_usd=order.budget_usd,
        max_requests=compute_request_limit(order.turns),
        role=order.role,
        answers=order.answers,
        allow_search=may_search(order),
        model=model,
        login=login,
    )
