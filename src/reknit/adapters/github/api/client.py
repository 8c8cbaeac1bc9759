"""The one module that imports githubkit: connections that stay open, and every failure as `ForgeError`.

Only for a lazy import: githubkit costs 0.4 s and 48 MB, which `reknit --help` must not pay.
"""

import contextlib
import contextvars
import time
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx
from githubkit import AppAuthStrategy, GitHub, Response, UnauthAuthStrategy
from githubkit.cache import MemCacheStrategy
from githubkit.exception import GitHubException, RequestError, RequestFailed

from reknit.adapters.github.api import failures as github_failures
from reknit.adapters.github.api.credentials import AppInstallation
from reknit.core.forge.values import ForgeError, ForgeFailure

_TIMEOUT = httpx.Timeout(30.0, connect=10.0)
_LONGEST_TAIL_S = 60.0
_VERSION = "2022-11-28"
_TRUSTED = httpx.create_ssl_context()
"""One for all: to read the certificates of all authorities takes 30 ms."""


@dataclass(frozen=True)
class ApiResponse:
    status: int
    headers: Mapping[str, str]
    """Finds a name in any case."""
    body: bytes


class Client:
    """githubkit as transport alone. A redirect to another host loses the Authorization header: httpx sees to that."""

    def __init__(self, api: str, app: AppInstallation | None = None) -> None:
        """`app`: requests are signed as that App, for its own routes; else each brings its Authorization header."""
        self._github: GitHub[Any] = GitHub(
            AppAuthStrategy(app.app_id, app.key) if app else UnauthAuthStrategy(),
            base_url=api,
            user_agent="reknit",
            timeout=_TIMEOUT,
            ssl_verify=_TRUSTED,
            auto_retry=False,
            http_cache=False,
            cache_strategy=MemCacheStrategy(),  # the default is shared by the whole process, tokens too
        )
        # githubkit keeps its open connections in a context variable, which no other thread would see: every
        # request runs in a copy of the one context where they were opened.
        self._opened = contextvars.Context()
        self._opened.run(self._github.__enter__)
        self.close = weakref.finalize(self, self._opened.run, self._github.__exit__)

    def send(self, method: str, url: str, headers: Mapping[str, str], json: object = None) -> ApiResponse:
        what = f"{method} {_shown(url)}"
        try:
            answer = self._request(method, url, headers, json=json)
        except RequestFailed as problem:
            raise github_failures.ApiRefusal(problem.response.status_code, _failure(problem, what)) from None
        except (GitHubException, httpx.HTTPError, ValueError, OverflowError) as problem:
            raise ForgeError(_failure(problem, what)) from None
        return ApiResponse(answer.status_code, answer.headers, answer.content)

    def tail(self, url: str, headers: Mapping[str, str], most: int) -> bytes:
        """The last `most` bytes of what may be far bigger."""
        kept, ends_at = bytearray(), time.monotonic() + _LONGEST_TAIL_S
        try:
            for part in self._request("GET", url, headers, stream=True).iter_bytes():
                kept += part
                if len(kept) > 2 * most:
                    del kept[:-most]
                if time.monotonic() > ends_at:
                    break  # a trickle may never end; what came by now is what there is
        except (GitHubException, httpx.HTTPError, ValueError, OverflowError) as problem:
            raise ForgeError(_failure(problem, f"GET {_shown(url)}")) from None
        return bytes(kept[-most:])

    def _request(
        self, method: str, url: str, headers: Mapping[str, str], json: object = None, *, stream: bool = False
    ) -> Response[Any]:
        def ask() -> Response[Any]:
            given = {"X-GitHub-Api-Version": _VERSION, **headers}
            return self._github.request(method, url, headers=given, json=json, stream=stream)

        return self._opened.copy().run(ask)


def _failure(problem: Exception, what: str) -> ForgeFailure:
    if isinstance(problem, RequestFailed):
        answer, now = problem.response, time.time()
        with contextlib.suppress(httpx.HTTPError):  # its body may not be what its headers say
            return github_failures.of_answer(answer.status_code, answer.headers, answer.text, what=what, now=now)
        return github_failures.of_answer(answer.status_code, answer.headers, "", what=what, now=now)
    if isinstance(problem, RequestError) and not isinstance(problem.exc, httpx.HTTPError):
        # the one RuntimeError is githubkit's, when it has nothing to sign with
        why = (
            "needs `reknit[app]` installed"
            if isinstance(problem.exc, RuntimeError)
            else "its private key is not usable"
        )
        return ForgeFailure("login", f"{what}: signing as the App: {why}")
    cause = problem.exc if isinstance(problem, RequestError) else problem
    return ForgeFailure("unreachable", f"{what}: {type(cause).__name__}")


def _shown(url: str) -> str:
    return url.partition("?")[0]
