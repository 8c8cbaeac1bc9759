"""Handles webhooks: verifies each delivery once, wakes the runs that it concerns, and records merged issues."""

import threading
import time
from collections.abc import Callable, Mapping

from reknit.adapters.github.webhook import read_delivery
from reknit.app.installation import Installation
from reknit.app.issues.merges import MergeLookup, follow_merge, look_for_merge
from reknit.app.makers import forge_maker
from reknit.app.outages import OutagesNamed
from reknit.app.pulls.webhooks import pass_on
from reknit.core.forge.webhook import WebhookEvent


class WebhookReceiver:
    """Deliveries arrive in many threads; only one at a time wakes runs, and only one looks for merges."""

    def __init__(self, place: Installation, secret: str, say: Callable[[str], None]) -> None:
        self._place, self._secret, self._say = place, secret, say
        self._forges = forge_maker(place.environment)
        self._waking, self._looking = threading.Lock(), threading.Lock()

    def verify(self, headers: Mapping[str, str], body: bytes) -> WebhookEvent | None:
        return read_delivery(headers, body, self._secret)

    def wake(self, event: WebhookEvent) -> tuple[str, ...]:
        if not event.slug:
            return ()
        with self._waking, OutagesNamed(self._place):
            return pass_on(self._place, event)

    def follow(self, event: WebhookEvent) -> None:
        follow_merge(event, self._look, self._say, time.sleep)

    def _look(self, event: WebhookEvent) -> MergeLookup:
        with self._looking, OutagesNamed(self._place):
            return look_for_merge(self._place, event, self._forges, at=time.time())
