"""Signed deliveries to those who asked for them, in order, by one thread, unless a fault says otherwise."""

import hashlib
import hmac
import http.client
import itertools
import json
import queue
import threading
import time
import urllib.parse
import uuid
from dataclasses import dataclass
from typing import Any

from tests.tools.github.faults import Faults


@dataclass(frozen=True)
class Delivery:
    id: str
    event: str
    action: str
    url: str
    status: int
    """0: nobody answered."""


@dataclass(frozen=True)
class _Parcel:
    id: str
    event: str
    action: str
    body: bytes
    url: str
    secret: bytes


class Webhooks:
    def __init__(self, faults: Faults, closing: threading.Event) -> None:
        self.hooks: list[tuple[str, str | bytes]] = []
        self.delivered: list[Delivery] = []
        self._faults, self._closing = faults, closing
        self._numbers = itertools.count(1)
        self._parcels: queue.Queue[_Parcel | None] = queue.Queue()
        self._late: list[tuple[float, _Parcel]] = []
        self._held: list[tuple[float, _Parcel]] = []
        self._thread: threading.Thread | None = None

    def send(self, event: str, payload: dict[str, Any]) -> None:
        body = json.dumps(payload).encode()
        for url, secret in self.hooks:
            number = str(uuid.UUID(int=next(self._numbers)))
            key = secret.encode() if isinstance(secret, str) else secret
            self._parcels.put(_Parcel(number, event, str(payload.get("action", "")), body, url, key))
        if self.hooks and self._thread is None:
            self._thread = threading.Thread(target=self._work, name="github-webhooks")
            self._thread.start()

    def wait(self) -> None:
        """Until everything sent so far was delivered, or lost."""
        self._parcels.join()

    def close(self) -> None:
        if self._thread is not None:
            self._parcels.put(None)
            self._thread.join()

    def _work(self) -> None:
        while True:
            self._deliver_due()
            try:
                parcel = self._parcels.get(timeout=self._pause())
            except queue.Empty:
                continue
            if parcel is None or self._closing.is_set():
                self._parcels.task_done()
                if parcel is None:
                    return
                continue
            self._handle(parcel)

    def _handle(self, parcel: _Parcel) -> None:
        due = time.monotonic() + self._faults.late_s
        if self._faults.take("webhook_drop"):
            self._parcels.task_done()
            return
        if self._faults.take("webhook_late"):
            self._late.append((due, parcel))
            return
        if self._faults.take("webhook_reordered"):
            self._held.append((due, parcel))
            return
        copies = 2 if self._faults.take("webhook_twice") else 1
        for _ in range(copies):
            self._deliver(parcel)
        self._parcels.task_done()
        self._held = [(0.0, held) for _, held in self._held]

    def _deliver_due(self) -> None:
        now = time.monotonic()
        for waiting in (self._late, self._held):
            for entry in [entry for entry in waiting if entry[0] <= now]:
                waiting.remove(entry)
                self._deliver(entry[1])
                self._parcels.task_done()

    def _pause(self) -> float | None:
        """Until the next late one is due; for ever when there is none."""
        due = [when for when, _ in (*self._late, *self._held)]
        return max(0.001, min(due) - time.monotonic()) if due else None

    def _deliver(self, parcel: _Parcel) -> None:
        address = urllib.parse.urlsplit(parcel.url)
        signature = hmac.new(parcel.secret, parcel.body, hashlib.sha256).hexdigest()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/stand-in",
            "X-GitHub-Delivery": parcel.id,
            "X-GitHub-Event": parcel.event,
            "X-Hub-Signature-256": f"sha256={signature}",
        }
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=5)
        try:
            connection.request("POST", address.path or "/", parcel.body, headers)
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException):
            status = 0
        finally:
            connection.close()
        self.delivered.append(Delivery(parcel.id, parcel.event, parcel.action, parcel.url, status))
