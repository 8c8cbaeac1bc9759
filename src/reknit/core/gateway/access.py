"""What one agent call may send to its model, and what the gateway saw of it: both as values."""

from dataclasses import dataclass, field
from typing import Literal

from reknit.core.agent_reports.values import Report, Role
from reknit.core.gateway.metering import ProviderRefusal

ProviderName = Literal["anthropic", "gemini", "openai", "openai_chat"]
"""A wire format, and the vendor that made it."""


@dataclass(frozen=True)
class ModelAccess:
    provider: ProviderName
    upstream: str
    key: str = field(repr=False)
    account: str
    """Whom the provider counts: provider and a digest of the key. Runs with the same one share its limits."""
    budget_usd: float
    max_requests: int
    role: Role = "fix"
    allow_search: bool = False
    model: str = ""
    """Priced when a request does not name one."""
    login: bool = False
    """The key is the CLI's own login, read from its files on the host: it goes out as a bearer token."""


@dataclass(frozen=True)
class GatewayObservation:
    """The gateway's own account of one call. Outcomes are read from it, never from an agent's prose."""

    status: int | None = None
    """HTTP status of the provider's last answer; 0: it could not be reached; None: nothing was sent."""
    limit: ProviderRefusal | None = None
    """The last time the provider, or the account's known limit, said `not now`; None once it answered well again."""
    refused: tuple[str, ...] = ()
    """What it would not let through."""
    over_budget: str = ""
    """Why a request was refused for money; empty: none was."""
    model_refused: bool = False
    """The model's last answer was a refusal, by its typed reason to stop."""
    report: Report | None = None
    report_problem: str = ""
    """Why there is no valid report: the last field that was wrong, or that none came."""
