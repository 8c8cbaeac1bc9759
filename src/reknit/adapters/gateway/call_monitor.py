"""What the gateway observed in one agent call; reads and records the account's rate limits."""

import threading
import time
from dataclasses import replace

from reknit.core.gateway.access import GatewayObservation
from reknit.core.gateway.metering import UNREACHABLE, ProviderRefusal
from reknit.ports.gateway import Accounts

_MAX_NOTED = 50
_MAX_REASON_CHARS = 200


class CallMonitor:
    def __init__(self, accounts: Accounts, account: str, closed: threading.Event) -> None:
        self._accounts, self._account, self._closed = accounts, account, closed
        self._seen = GatewayObservation()
        self._limits = 0
        self._was_limited = True  # an earlier call of the account may have been, for all we know here
        self._lock = threading.Lock()

    @property
    def seen(self) -> GatewayObservation:
        return self._seen

    @property
    def limits(self) -> int:
        """How many limits were hit. An answer to a request sent before the last limit does not lift it."""
        return self._limits

    def refused(self, why: str) -> None:
        """Bounded: a box must not flood the notes."""
        words = ascii(why)[1:-1][:_MAX_REASON_CHARS]
        with self._lock:
            if len(self._seen.refused) < _MAX_NOTED and words not in self._seen.refused:
                self._seen = replace(self._seen, refused=(*self._seen.refused, words))

    def over_budget(self, why: str) -> None:
        self.refused(why)
        with self._lock:
            self._seen = replace(self._seen, over_budget=why[:_MAX_REASON_CHARS])

    def rests_until(self) -> float | None:
        """When the account's known rate limit ends, if that is in the future."""
        until = self._accounts.not_before(self._account)
        if until is None or until <= time.time():
            return None
        self._limit(ProviderRefusal(429, until))
        return until

    def _limit(self, limit: ProviderRefusal) -> None:
        with self._lock:
            self._limits += 1
            self._was_limited = True
            self._seen = replace(self._seen, limit=limit)

    def unreachable(self) -> None:
        """No answer, or only part of one. Ignored once the gateway is closed: then we closed the connection."""
        with self._lock:
            if self._closed.is_set():
                return
            self._limits += 1
            self._seen = replace(self._seen, status=UNREACHABLE, limit=ProviderRefusal(UNREACHABLE))

    def answered(self, status: int, *, since: int, refused: bool = False) -> None:
        """`since`: the value of `limits` when the request was sent."""
        with self._lock:
            self._seen = replace(self._seen, model_refused=refused)
            if self._limits == since:
                self._seen = replace(self._seen, status=status)

    def limited(self, limit: ProviderRefusal) -> None:
        self._limit(limit)
        if limit.status == 429 or limit.until is not None:
            self._accounts.limited(self._account, limit)

    def served(self, *, since: int) -> None:
        with self._lock:
            if self._limits != since:
                return
            was_limited, self._was_limited = self._was_limited, False
            self._seen = replace(self._seen, limit=None)
        if was_limited:
            self._accounts.served(self._account)
