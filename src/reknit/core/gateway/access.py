"""Model access of one agent call, and the gateway's record of it, as values."""

from dataclasses import dataclass, field
from typing import Literal

from reknit.core.agent_reports.session import ANSWERS
from reknit.core.agent_reports.values import RefusedAnswer, Report, Role
from reknit.core.gateway.metering import ProviderRefusal

ProviderName = Literal["anthropic", "gemini", "openai", "openai_chat"]
"""A wire format, named after the vendor that defined it."""

TOO_MANY = "too many requests in one call"
_REQUESTS_PER_TURN, _SPARE_REQUESTS = 4, 20


@dataclass(frozen=True)
class ModelAccess:
    """The model that one agent call may use, its key and its limits."""

    provider: ProviderName
    upstream: str
    key: str = field(repr=False)
    account: str
    """Id of the metered account: provider and a digest of the key. Runs with the same account share its limits."""
    budget_usd: float
    max_requests: int
    role: Role = "fix"
    answers: int = ANSWERS
    """Role `plan`: maximum number of answers that are read."""
    allow_search: bool = False
    model: str = ""
    """Used for pricing if a request does not name a model."""
    login: bool = False
    """The key is the CLI's own login, read from its files on the host; it is sent as a bearer token."""


@dataclass(frozen=True)
class GatewayObservation:
    """The gateway's own record of one call. Outcomes are derived from it, never from an agent's prose."""

    status: int | None = None
    """HTTP status of the provider's last response; 0: it could not be reached; None: nothing was sent."""
    limit: ProviderRefusal | None = None
    """The latest temporary refusal, by the provider or by the account's known limit; None after a later success."""
    refused: tuple[str, ...] = ()
    """Why the gateway refused requests."""
    over_budget: str = ""
    """Why a request exceeded the budget; empty: none did."""
    model_refused: bool = False
    """The model's last response was a refusal, according to its typed stop reason."""
    report: Report | None = None
    report_problem: str = ""
    """Why there is no valid report: the last invalid field, or that none was submitted."""
    refused_answers: tuple[RefusedAnswer, ...] = ()
    """Role `plan`: answers that were not valid."""


def request_cap(turns: int) -> int:
    """Return the maximum number of requests of one call.

    It is higher than the limit an agent's CLI sets itself: it is for anything else that runs in the box.
    """
    return _REQUESTS_PER_TURN * turns + _SPARE_REQUESTS
