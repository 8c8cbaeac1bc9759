"""GitHub's API for one identity: conditional reads, bounded lists, GraphQL, and one write at a time."""

import os
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from reknit.adapters.github.api import failures
from reknit.adapters.github.api.graphql_models import Data, Problems
from reknit.adapters.github.api.identity import Identity
from reknit.adapters.github.api.rest_models import parse_answer
from reknit.core.forge.values import ForgeError, ForgeFailure

_MAX_RESPONSES = 256
"""Maximum number of answers that are kept for conditional reads."""


@dataclass(frozen=True)
class CachedResponse:
    """An answer with its ETag."""

    etag: str
    body: bytes
    more: bool
    """True if GitHub named a next page."""


@dataclass(frozen=True)
class CacheKey:
    """Everything that the content of an answer depends on."""

    url: str
    """Address with the query."""
    accept: str
    account: str
    """Account that asked: two identities may see different content at the same URL."""


class EtagStore:
    """GitHub's answers with their ETags, so that polling unchanged data is cheap. In memory and bounded."""

    def __init__(self, most: int = _MAX_RESPONSES) -> None:
        self._most, self._lock = most, threading.Lock()
        self._responses: OrderedDict[CacheKey, CachedResponse] = OrderedDict()

    def find(self, key: CacheKey) -> CachedResponse | None:
        with self._lock:
            if key in self._responses:
                self._responses.move_to_end(key)
            return self._responses.get(key)

    def keep(self, key: CacheKey, answer: CachedResponse) -> None:
        with self._lock:
            self._responses[key] = answer
            self._responses.move_to_end(key)
            while len(self._responses) > self._most:
                self._responses.popitem(last=False)


if TYPE_CHECKING:
    from reknit.adapters.github.api.client import ApiResponse, Client

T = TypeVar("T")
Item = TypeVar("Item")

_JSON = "application/vnd.github+json"
_PAGE = 100
_MAX_PAGES = 10
_NEXT = re.compile(r'<([^<>]*)>;[^,<>]*\brel="next"')

_writing: dict[tuple[int, str], threading.RLock] = {}
"""Lock per (process id, account). A forked child gets its own, because a thread of its parent may hold the other."""


class GitHubApi:
    """GitHub's API for one identity."""

    def __init__(self, api: str, identity: Identity) -> None:
        self._api, self.identity = api.rstrip("/"), identity
        self._etags, self._lock = EtagStore(), threading.Lock()
        self._connected: Client | None = None

    def close(self) -> None:
        self.identity.close()
        if self._connected is not None:
            self._connected.close()

    def writing(self) -> threading.RLock:
        """Return the lock to hold from the check to the write, so that two runs of one identity do not both write."""
        return _writing.setdefault((os.getpid(), self.identity.account), threading.RLock())

    def get(self, kind: type[T], path: str) -> T:
        return parse_answer(kind, self.read(path).body, path)

    def read(self, path: str) -> CachedResponse:
        """Read an address; the request is cheap if nothing has changed since the last one."""
        key = CacheKey(path, _JSON, self.identity.account)
        old = self._etags.find(key)
        answer = self._send("GET", path, {"If-None-Match": old.etag} if old else {})
        if old and answer.status == 304:
            return old
        response = CachedResponse(
            answer.headers.get("etag", ""), answer.body, 'rel="next"' in answer.headers.get("link", "")
        )
        if response.etag:
            self._etags.keep(key, response)
        return response

    def items(
        self, kind: type[T], path: str, pick: Callable[[T], Sequence[Item]]
    ) -> Iterator[tuple[str, Sequence[Item]]]:
        """Yield (address, items) of each page. Raise if the list is too long."""
        for number in range(1, _MAX_PAGES + 1):
            address = make_page_address(path, number)
            response = self.read(address)
            page_items = pick(parse_answer(kind, response.body, path))
            yield address, page_items
            # A full page may have a new successor although it is unchanged itself (304).
            if not response.more and len(page_items) < _PAGE:
                return
        raise ForgeError(ForgeFailure("forbidden", f"GET {path}: more than {_MAX_PAGES * _PAGE} entries"))

    def pages(self, kind: type[T], path: str, *, most: int) -> Iterator[T]:
        """Yield each page, following GitHub's links to the next one; nothing is cached.

        Raise if there are more than `most` pages.
        """
        place, _, query = path.partition("?")
        for _number in range(most):
            answer = self._send("GET", f"{place}?{query}", {})
            yield parse_answer(kind, answer.body, place)
            next_link = _NEXT.search(answer.headers.get("link", ""))
            if next_link is None:
                return
            query = urlsplit(next_link[1]).query  # not the rest: the token must not go to another address
        raise ForgeError(ForgeFailure("forbidden", f"GET {place}: more than {most} pages"))

    def write(self, kind: type[T], method: str, path: str, body: Mapping[str, object]) -> T:
        return parse_answer(kind, self._send(method, path, {}, dict(body)).body, path)

    def post(self, path: str) -> None:
        """Send a POST whose answer has no content."""
        self._send("POST", path, {})

    def tail(self, path: str, most: int) -> bytes:
        return self._send_authorized(lambda headers: self._open_client().tail(path, headers, most))

    def graphql(self, kind: type[T], query: str, variables: Mapping[str, object]) -> T:
        request = "graphql"
        answer = self._send("POST", self._graphql_address(), {}, {"query": query, "variables": dict(variables)})
        if problems := parse_answer(Problems, answer.body, request).errors:
            reasons = [(problem.type or "", problem.message) for problem in problems]
            raise ForgeError(failures.read_graphql_failure(reasons, answer.headers, request=request, now=time.time()))
        return parse_answer(Data[kind], answer.body, request).data  # type: ignore[valid-type]

    def _graphql_address(self) -> str:
        # an enterprise server has REST at /api/v3, but GraphQL at /api/graphql
        base = self._api.removesuffix("/v3") if self._api.endswith("/api/v3") else self._api
        return f"{base}/graphql"

    def _send(self, method: str, path: str, headers: Mapping[str, str], body: object = None) -> "ApiResponse":
        all_headers = {"Accept": _JSON, **headers}
        return self._send_authorized(
            lambda login: self._open_client().send(method, path, {**all_headers, **login}, body)
        )

    def _send_authorized(self, ask: Callable[[Mapping[str, str]], T]) -> T:
        token = self.identity.token()
        try:
            return ask({"Authorization": f"Bearer {token}"})
        except ForgeError as problem:
            if problem.failure.kind != "login" or not self.identity.renew(token):
                raise
        return ask({"Authorization": f"Bearer {self.identity.token()}"})

    def _open_client(self) -> "Client":
        from reknit.adapters.github.api.client import Client

        with self._lock:
            if self._connected is None:
                self._connected = Client(self._api)
            return self._connected


def make_page_address(path: str, number: int) -> str:
    """Return the address of one page of a list."""
    return f"{path}{'&' if '?' in path else '?'}per_page={_PAGE}&page={number}"
