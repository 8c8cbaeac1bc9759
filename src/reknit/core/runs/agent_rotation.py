"""The agents of a run: which one works next when a provider is rate limited or rejects the key."""

from dataclasses import dataclass, replace

from reknit.core.agents.call import Outcome, RateLimited, Unusable
from reknit.core.runs.ending import LOGIN, Ending
from reknit.core.runs.limits import Limits

AUTH_TRIES = 3
"""Tries in a row with a provider that rejects the key; after that a person must act."""


@dataclass(frozen=True)
class AgentRotation:
    agents: tuple[str, ...]
    """The first choice, then its fallbacks."""
    waits: int = 0
    blocked: Outcome | None = None
    """The last outcome that prevented an attempt."""
    tired: tuple[tuple[str, float | None], ...] = ()
    """Agents rate limited since the last attempt or wait, each with its reset time if known."""
    unnamed_waits: int = 0
    """Waits in a row for which the provider named no time."""
    out: tuple[str, ...] = ()
    """Agents that cannot work until a person acts."""
    auth_errors: int = 0
    """Rejected keys in a row."""

    @property
    def ready(self) -> tuple[str, ...]:
        """Agents that can work now; the first one is next."""
        resting = {name for name, _ in self.tired} | set(self.out)
        return tuple(name for name in self.agents if name not in resting)

    @property
    def next(self) -> str:
        """If all are rate limited, a wait is over or was refused: the first that may work is tried again."""
        return (*self.ready, *(name for name in self.agents if name not in self.out))[0]

    def worked(self) -> "AgentRotation":
        return replace(self, tired=(), auth_errors=0, unnamed_waits=0)

    def limited(self, limited: RateLimited) -> "AgentRotation":
        unnamed = self.unnamed_waits + (limited.until is None)
        return replace(self, waits=self.waits + 1, unnamed_waits=unnamed, blocked=limited, auth_errors=0)

    def rested(self, agent: str, limited: RateLimited, wait_s: float) -> "AgentRotation":
        """After a wait every agent may be tried again; without one, the next agent takes over."""
        return replace(self, tired=() if wait_s else (*self.tired, (agent, limited.until)))

    def refused(self, agent: str, refused: Unusable) -> "AgentRotation":
        errors = self.auth_errors + 1 if refused.why == "auth" else AUTH_TRIES
        if errors < AUTH_TRIES:
            return replace(self, blocked=refused, auth_errors=errors)
        return replace(self, blocked=refused, auth_errors=0, out=(*self.out, agent))

    def falls_over(self, agent: str, wait_s: float, limits: Limits) -> bool:
        """Another agent takes over if the wait exceeds the patience and one is ready."""
        return wait_s > limits.patience_s and any(name != agent for name in self.ready)

    def stopped(self, limits: Limits) -> Ending | None:
        """The ending if no agent can work any more."""
        if isinstance(self.blocked, Unusable) and set(self.agents) <= set(self.out):
            return _refused(self.blocked)
        if self.waits > limits.waits:
            why = f"the provider was rate limited or unavailable {self.waits} times"
            return Ending("BLOCKED", why, cause="provider")
        return None


def _refused(refused: Unusable) -> Ending:
    if refused.why in ("auth", "login"):
        return Ending("BLOCKED", f"the agent has no usable key: {refused.detail}", cause=LOGIN)
    return Ending("BLOCKED", f"the agent could not work ({refused.why}): {refused.detail}", cause="agent")
