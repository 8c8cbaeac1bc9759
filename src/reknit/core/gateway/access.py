"""The model access of one agent call, and what the gateway observed of it, as values."""

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
    """Base URL of the provider."""
    key: str = field(repr=False)
    account: str
    """Id of the metered account: provider and a digest of the key. Runs with the same account share its limits."""
    budget_usd: float
    """Maximum cost of the call in US dollars."""
    max_requests: int
    role: Role = "fix"
    answers: int = ANSWERS
    """Role `plan`: maximum number of answers that are read."""
    allow_search: bool = False
    model: str = ""
    """Model by which a request is priced that names none."""
    login: bool = False
    """True if the key is the CLI's own login from its files on the host, which is sent as a bearer token."""


@dataclass(frozen=True)
class GatewayObservation:
    """The gateway's own record of one call. Outcomes are derived from it, never from an agent's words."""

    status: int | None = None
    """HTTP status of the provider's last response; 0: it could not be reached; None: nothing was sent."""
    limit: ProviderRefusal | None = None
    """The latest temporary refusal, by the provider or by the account's known limit; None after a later success."""
    refused: tuple[str, ...] = ()
    """Reasons for which the gateway refused requests."""
    over_budget: str = ""
    """Why a request exceeded the budget; empty: none did."""
    model_refused: bool = False
    """True if the model's last response was a refusal, according to its typed stop reason."""
    report: Report | None = None
    report_problem: str = ""
    """Why there is no valid report: the last invalid field, or that none was submitted."""
    refused_answers: tuple[RefusedAnswer, ...] = ()
    """Role `plan`: answers that were not valid."""


def compute_request_limit(turns: int) -> int:
    """Return the maximum number of requests of one call.

    It is higher than the limit of an agent's CLI, because it is meant for other programs in the box.
    """
    return _REQUESTS_PER_TURN * turns + _SPARE_REQUESTS
