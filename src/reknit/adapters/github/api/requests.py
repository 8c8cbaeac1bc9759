"""GitHub's API as one identity sees it: conditional reads, bounded pages, GraphQL, one write at a time."""

import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from reknit.adapters.github.api import failures
from reknit.adapters.github.api.etags import CachedResponse, CacheKey, EtagStore
from reknit.adapters.github.api.graphql_models import Data, Problems
from reknit.adapters.github.api.identity import Identity
from reknit.adapters.github.api.rest_models import parsed
from reknit.core.forge.values import ForgeError, ForgeFailure

if TYPE_CHECKING:
    from reknit.adapters.github.api.client import ApiResponse, Client

T = TypeVar("T")
Item = TypeVar("Item")

_JSON = "application/vnd.github+json"
_PAGE = 100
_MOST_PAGES = 10
_NEXT = re.compile(r'<([^<>]*)>;[^,<>]*\brel="next"')

_writing: dict[tuple[int, str], threading.RLock] = {}
"""Keyed by pid as well: a forked child cannot trust a lock that a thread of its parent may hold."""


class GitHubApi:
    def __init__(self, api: str, identity: Identity) -> None:
        self._api, self.identity = api.rstrip("/"), identity
        self._etags, self._lock = EtagStore(), threading.Lock()
        self._opened: Client | None = None

    def close(self) -> None:
        self.identity.close()
        if self._opened is not None:
            self._opened.close()

    def writing(self) -> threading.RLock:
        """Held from the read to the write, so that two runs of one identity cannot both write."""
        return _writing.setdefault((os.getpid(), self.identity.account), threading.RLock())

    def get(self, kind: type[T], path: str) -> T:
        return parsed(kind, self.read(path).body, path)

    def read(self, path: str) -> CachedResponse:
        """One request; a cheap one if nothing has changed since the last time."""
        asked = CacheKey(path, _JSON, self.identity.account)
        old = self._etags.find(asked)
        answer = self._send("GET", path, {"If-None-Match": old.etag} if old else {})
        if old and answer.status == 304:
            return old
        kept = CachedResponse(
            answer.headers.get("etag", ""), answer.body, 'rel="next"' in answer.headers.get("link", "")
        )
        if kept.etag:
            self._etags.keep(asked, kept)
        return kept

    def items(
        self, kind: type[T], path: str, pick: Callable[[T], Sequence[Item]]
    ) -> Iterator[tuple[str, Sequence[Item]]]:
        """(address, items) of each page. Raises rather than return part of a list that is too long to read in full."""
        for number in range(1, _MOST_PAGES + 1):
            address = page(path, number)
            kept = self.read(address)
            picked = pick(parsed(kind, kept.body, path))
            yield address, picked
            # A full page may have gained a successor without changing itself, and a 304 does not say so.
            if not kept.more and len(picked) < _PAGE:
                return
        raise ForgeError(ForgeFailure("forbidden", f"GET {path}: more than {_MOST_PAGES * _PAGE} entries"))

    def pages(self, kind: type[T], path: str, *, most: int) -> Iterator[T]:
        """Each page, following GitHub's links to the next one; nothing is cached.

        Raises if there are more than `most` pages.
        """
        place, _, query = path.partition("?")
        for _number in range(most):
            answer = self._send("GET", f"{place}?{query}", {})
            yield parsed(kind, answer.body, place)
            found = _NEXT.search(answer.headers.get("link", ""))
            if found is None:
                return
            query = urlsplit(found[1]).query  # only the query: the token must not be sent to another address
        raise ForgeError(ForgeFailure("forbidden", f"GET {place}: more than {most} pages"))

    def write(self, kind: type[T], method: str, path: str, body: Mapping[str, object]) -> T:
        return parsed(kind, self._send(method, path, {}, dict(body)).body, path)

    def order(self, path: str) -> None:
        """A POST whose answer has no content."""
        self._send("POST", path, {})

    def tail(self, path: str, most: int) -> bytes:
        return self._authorized(lambda headers: self._client().tail(path, headers, most))

    def graphql(self, kind: type[T], query: str, variables: Mapping[str, object]) -> T:
        what = "graphql"
        answer = self._send("POST", self._graphql_address(), {}, {"query": query, "variables": dict(variables)})
        if problems := parsed(Problems, answer.body, what).errors:
            reasons = [(problem.type or "", problem.message) for problem in problems]
            raise ForgeError(failures.of_graphql(reasons, answer.headers, what=what, now=time.time()))
        return parsed(Data[kind], answer.body, what).data  # type: ignore[valid-type]

    def _graphql_address(self) -> str:
        # an enterprise server has REST at /api/v3 and GraphQL at /api/graphql
        base = self._api.removesuffix("/v3") if self._api.endswith("/api/v3") else self._api
        return f"{base}/graphql"

    def _send(self, method: str, path: str, headers: Mapping[str, str], body: object = None) -> "ApiResponse":
        given = {"Accept": _JSON, **headers}
        return self._authorized(lambda login: self._client().send(method, path, {**given, **login}, body))

    def _authorized(self, ask: Callable[[Mapping[str, str]], T]) -> T:
        token = self.identity.token()
        try:
            return ask({"Authorization": f"Bearer {token}"})
        except ForgeError as problem:
            if problem.failure.kind != "login" or not self.identity.renew(token):
                raise
        return ask({"Authorization": f"Bearer {self.identity.token()}"})

    def _client(self) -> "Client":
        from reknit.adapters.github.api.client import Client

        with self._lock:
            if self._opened is None:
                self._opened = Client(self._api)
            return self._opened


def page(path: str, number: int) -> str:
    return f"{path}{'&' if '?' in path else '?'}per_page={_PAGE}&page={number}"
