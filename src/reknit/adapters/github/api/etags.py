"""Caches GitHub's answers with their ETags, so that polling unchanged data is cheap. In memory and bounded."""

import threading
from collections import OrderedDict
from dataclasses import dataclass

MOST = 256


@dataclass(frozen=True)
class CachedResponse:
    etag: str
    body: bytes
    more: bool
    """GitHub named a next page."""


@dataclass(frozen=True)
class CacheKey:
    url: str
    """Including the query."""
    accept: str
    account: str
    """Two identities may see different content at the same URL."""


class EtagStore:
    def __init__(self, most: int = MOST) -> None:
        self._most, self._lock = most, threading.Lock()
        self._kept: OrderedDict[CacheKey, CachedResponse] = OrderedDict()

    def find(self, asked: CacheKey) -> CachedResponse | None:
        with self._lock:
            if asked in self._kept:
                self._kept.move_to_end(asked)
            return self._kept.get(asked)

    def keep(self, asked: CacheKey, answer: CachedResponse) -> None:
        with self._lock:
            self._kept[asked] = answer
            self._kept.move_to_end(asked)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
