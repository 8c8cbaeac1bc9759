"""Decides which agent works next when a provider is rate limited or rejects the key."""

from dataclasses import dataclass, replace

from reknit.core.agents.call import Outcome, RateLimited, Unusable
from reknit.core.runs.ending import LOGIN, Ending
from reknit.core.runs.limits import Limits

AUTH_TRIES = 3
"""Tries in a row with a provider that rejects the key; after that a person must act."""


@dataclass(frozen=True)
class AgentRotation:
    """The agents of a run, and what prevents each of them from working."""

    agents: tuple[str, ...]
    """The first choice, then its fallbacks."""
    waits: int = 0
    """Waits for providers in the whole run."""
    blocked: Outcome | None = None
    """The last outcome that prevented an attempt."""
    resting: tuple[tuple[str, float | None], ...] = ()
    """Agents rate limited since the last attempt or wait, each with its reset time if known."""
    unnamed_waits: int = 0
    """Waits in a row for which the provider named no end."""
    out: tuple[str, ...] = ()
    """Agents that cannot work until a person acts."""
    auth_errors: int = 0
    """Rejected keys in a row."""

    @property
    def ready(self) -> tuple[str, ...]:
        """Return the agents that can work now; the first one is next."""
        unavailable = {name for name, _ in self.resting} | set(self.out)
        return tuple(name for name in self.agents if name not in unavailable)

    @property
    def next(self) -> str:
        """Return the next agent. If all are rate limited, it is the first one that needs no person."""
        return (*self.ready, *(name for name in self.agents if name not in self.out))[0]

    def after_work(self) -> "AgentRotation":
        return replace(self, resting=(), auth_errors=0, unnamed_waits=0)

    def after_limit(self, limited: RateLimited) -> "AgentRotation":
        unnamed = self.unnamed_waits + (limited.until is None)
        return replace(self, waits=self.waits + 1, unnamed_waits=unnamed, blocked=limited, auth_errors=0)

    def after_wait(self, agent: str, limited: RateLimited, wait_s: float) -> "AgentRotation":
        """Return the rotation after a wait, when every agent may be tried again. Without a wait this agent rests."""
        return replace(self, resting=() if wait_s else (*self.resting, (agent, limited.until)))

    def after_refusal(self, agent: str, refused: Unusable) -> "AgentRotation":
        errors = self.auth_errors + 1 if refused.why == "auth" else AUTH_TRIES
        if errors < AUTH_TRIES:
            return replace(self, blocked=refused, auth_errors=errors)
        return replace(self, blocked=refused, auth_errors=0, out=(*self.out, agent))

    def should_fall_over(self, agent: str, wait_s: float, limits: Limits) -> bool:
        """Return True if another agent takes over: the wait exceeds the patience, and one is ready."""
        return wait_s > limits.patience_s and any(name != agent for name in self.ready)

    def find_ending(self, limits: Limits) -> Ending | None:
        """Return the ending if no agent can work any more."""
        if isinstance(self.blocked, Unusable) and set(self.agents) <= set(self.out):
            return _explain_refusal(self.blocked)
        if self.waits > limits.waits:
            why = f"the provider was rate limited or unavailable {self.waits} times"
            return Ending("BLOCKED", why, cause="provider")
        return None


def _explain_refusal(refused: Unusable) -> Ending:
    if refused.why in ("auth", "login"):
        return Ending("BLOCKED", f"the agent has no usable key: {refused.detail}", cause=LOGIN)
    return Ending("BLOCKED", f"the agent could not work ({refused.why}): {refused.detail}", cause="agent")
