"""The model access of one agent call, as every agent requests it from the gateway."""

import hashlib
from collections.abc import Mapping

from reknit.core.agents.call import AgentOrder
from reknit.core.gateway.access import ModelAccess, ProviderName, request_cap


def account_of(provider: str, key: str) -> str:
    return f"{provider}:{hashlib.sha256(key.encode()).hexdigest()[:16]}" if key else ""


def key_in(environment: Mapping[str, str], name: str) -> str:
    """Without the newline that env files leave; empty if it contains a character that no key has."""
    key = environment.get(name, "").strip()
    return key if key.isascii() and key.isprintable() and " " not in key else ""


def may_search(order: AgentOrder) -> bool:
    return order.strategy == "search" and order.role == "fix"


def admission(
    order: AgentOrder, provider: ProviderName, *, upstream: str, key: str, model: str, login: bool = False
) -> ModelAccess:
    return ModelAccess(
        provider=provider,
        upstream=upstream,
        key=key,
        account=account_of(provider, key),
        budget_usd=order.budget_usd,
        max_requests=request_cap(order.turns),
        role=order.role,
        answers=order.answers,
        allow_search=may_search(order),
        model=model,
        login=login,
    )
