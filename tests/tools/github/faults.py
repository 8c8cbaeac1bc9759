"""What can go wrong with GitHub, each thing with a name and a switch."""

import threading
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar


@dataclass
class Faults:
    """A number is how many of the next matching requests misbehave; after them all is well again."""

    NAMES: ClassVar[tuple[str, ...]] = (
        "mergeable_unknown",
        "checks_lag",
        "secondary_limit",
        "primary_limit",
        "server_error",
        "lost_answer",
        "revoked",
        "slow",
        "dropped",
        "git_unavailable",
        "push_lost_answer",
        "branch_moves",
        "branch_races",
        "force_pushed",
        "fork_deleted",
        "closed_midway",
        "permission",
        "webhook_drop",
        "webhook_twice",
        "webhook_late",
        "webhook_reordered",
    )

    mergeable_unknown: int = 0
    """Full reads of a pull request say `mergeable: null`."""
    checks_lag: int = 0
    """Reads of check runs, statuses or the rollup see none yet; suites are not to be seen before them."""
    secondary_limit: int = 0
    """API requests are answered 403 with `Retry-After`."""
    primary_limit: int = 0
    """The same with `x-ratelimit-remaining: 0` and `x-ratelimit-reset`; GraphQL says it with 200 and `RATE_LIMITED`."""
    retry_after: int = 1
    """Seconds that the two limits name."""
    server_error: int = 0
    """API requests are answered 502 and nothing was done."""
    lost_answer: int = 0
    """API writes are done and yet answered 502."""
    revoked: set[str] = field(default_factory=set)
    """Tokens answered with 401 everywhere, git too."""
    revoke_next: int = 0
    """The token that a request brings, of git too, is revoked for good just before it."""
    slow: int = 0
    """Requests, of git too, are answered `slow_s` late."""
    slow_s: float = 0.3
    dropped: int = 0
    """API connections are closed without an answer; nothing was done."""
    git_unavailable: int = 0
    """git requests are answered 503."""
    push_lost_answer: int = 0
    """A push is accepted, and the connection closed in the middle of the answer."""
    branch_moves: int = 0
    """A person's commit lands on the head of every open pull request just before a push looks at the refs."""
    branch_races: int = 0
    """A person's commit lands on the pushed branch after the push looked at it and before it is processed."""
    force_pushed: int = 0
    """A person rewrites the last commit of every open pull request's head just before a push looks at the refs."""
    fork_deleted: int = 0
    """After a full read of a pull request from a fork, that fork is gone."""
    closed_midway: int = 0
    """After a full read of an open pull request, a person closes it."""
    permission: int = 0
    """Writes, pushes too, are answered 403."""
    log_forbidden: int = 0
    """Reads of a job's log are answered 403."""
    log_gone: int = 0
    """Reads of a job's log are answered 410."""
    issues_forbidden: int = 0
    """GraphQL reads of issues are answered `FORBIDDEN`, as to an App without that permission."""
    contexts_forbidden: int = 0
    """The same of a rollup's check runs, as to every fine-grained token; its state can still be read."""
    webhook_drop: int = 0
    """Deliveries are lost."""
    webhook_twice: int = 0
    """Deliveries come twice, with the same id."""
    webhook_late: int = 0
    """Deliveries come `late_s` late, and hold up none behind them."""
    webhook_reordered: int = 0
    """A delivery comes after the one that follows it, or `late_s` late when none does."""
    late_s: float = 0.3
    skips: dict[str, int] = field(default_factory=dict)
    """How many matching requests a fault lets pass before it begins."""

    def __post_init__(self) -> None:
        self._lock = threading.Lock()

    def switch(self, name: str, *, after: int = 0) -> None:
        """Arm that fault in its standard dose; `after`: so many matching requests still go well."""
        if name not in self.NAMES:
            raise KeyError(name)
        counter = _counter(name)
        setattr(self, counter, _DOSES.get(name, 1))
        self.skips[counter] = after

    def lift(self) -> None:
        """All is well again: revoked tokens are good, what a count had left is forgotten."""
        for known in fields(self):
            if isinstance(getattr(self, known.name), int) and known.name != "retry_after":
                setattr(self, known.name, 0)
        self.revoked.clear()
        self.skips.clear()

    def is_armed(self, name: str) -> bool:
        """Whether that fault still has something left to spoil."""
        return bool(getattr(self, _counter(name)))

    def is_due(self, name: str) -> bool:
        """Whether the next matching request is one to spoil; counts nothing."""
        with self._lock:
            return bool(getattr(self, name)) and not self.skips.get(name, 0)

    def take(self, name: str) -> bool:
        """Whether this request is one to spoil; counts it."""
        with self._lock:
            left: Any = getattr(self, name)
            if not left:
                return False
            if self.skips.get(name, 0):
                self.skips[name] -= 1
                return False
            setattr(self, name, left - 1)
            return True


_DOSES = {"mergeable_unknown": 2, "checks_lag": 2, "git_unavailable": 2, "server_error": 2}


def _counter(name: str) -> str:
    return "revoke_next" if name == "revoked" else name
