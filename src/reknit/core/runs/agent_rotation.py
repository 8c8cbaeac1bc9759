"""The agents of a run: who works next when a provider says `not now` or takes no key."""

from dataclasses import dataclass, replace

from reknit.core.agents.call import Outcome, RateLimited, Unusable
from reknit.core.runs.ending import LOGIN, Ending
from reknit.core.runs.limits import Limits

AUTH_TRIES = 3
"""A provider that does not take the key is asked so often in a row; after that a person must act."""


@dataclass(frozen=True)
class AgentRotation:
    agents: tuple[str, ...]
    """The first choice, then those it may fall over to."""
    waits: int = 0
    blocked: Outcome | None = None
    """An agent's last word when no attempt could be made."""
    tired: tuple[tuple[str, float | None], ...] = ()
    """Agents whose provider said `not now` since the last attempt or wait, and until when if it named a time."""
    unnamed_waits: int = 0
    """In a row: waits for which the provider named no time."""
    out: tuple[str, ...] = ()
    """Agents a person must act for."""
    auth_errors: int = 0
    """In a row."""

    @property
    def ready(self) -> tuple[str, ...]:
        """Agents that could work now; the first one does."""
        resting = {name for name, _ in self.tired} | set(self.out)
        return tuple(name for name in self.agents if name not in resting)

    @property
    def next(self) -> str:
        """When all are tired a wait is over, or was refused: the first that may work is asked again."""
        return (*self.ready, *(name for name in self.agents if name not in self.out))[0]

    def worked(self) -> "AgentRotation":
        return replace(self, tired=(), auth_errors=0, unnamed_waits=0)

    def limited(self, limited: RateLimited) -> "AgentRotation":
        unnamed = self.unnamed_waits + (limited.until is None)
        return replace(self, waits=self.waits + 1, unnamed_waits=unnamed, blocked=limited, auth_errors=0)

    def rested(self, agent: str, limited: RateLimited, wait_s: float) -> "AgentRotation":
        """After a wait everybody may be asked again; without one, the next agent takes over."""
        return replace(self, tired=() if wait_s else (*self.tired, (agent, limited.until)))

    def refused(self, agent: str, refused: Unusable) -> "AgentRotation":
        errors = self.auth_errors + 1 if refused.why == "auth" else AUTH_TRIES
        if errors < AUTH_TRIES:
            return replace(self, blocked=refused, auth_errors=errors)
        return replace(self, blocked=refused, auth_errors=0, out=(*self.out, agent))

    def falls_over(self, agent: str, wait_s: float, limits: Limits) -> bool:
        """Another agent takes over when the wait is longer than people like to wait and one is there."""
        return wait_s > limits.patience_s and any(name != agent for name in self.ready)

    def stopped(self, limits: Limits) -> Ending | None:
        """Why nobody can work any more, if so."""
        if isinstance(self.blocked, Unusable) and set(self.agents) <= set(self.out):
            return _refused(self.blocked)
        if self.waits > limits.waits:
            return Ending("BLOCKED", f"the provider said `not now` {self.waits} times", cause="provider")
        return None


def _refused(refused: Unusable) -> Ending:
    if refused.why in ("auth", "login"):
        return Ending("BLOCKED", f"the agent has no usable key: {refused.detail}", cause=LOGIN)
    return Ending("BLOCKED", f"the agent could not work ({refused.why}): {refused.detail}", cause="agent")
