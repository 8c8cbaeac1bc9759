"""Sends requests to GitHub, keeps connections open, and raises every failure as `ForgeError`.

Only this module imports githubkit. Import it lazily: it takes 0.4 s and 48 MB, too much for `reknit --help`.
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

from reknit.adapters.github.api import failures
from reknit.adapters.github.api.credentials import AppInstallation
from reknit.core.forge.values import ForgeError, ForgeFailure

_TIMEOUT = httpx.Timeout(30.0, connect=10.0)
_MAX_TAIL_S = 60.0
_VERSION = "2022-11-28"
_TRUSTED = httpx.create_ssl_context()
"""TLS settings shared by all clients: loading the CA certificates takes 30 ms."""


@dataclass(frozen=True)
class ApiResponse:
    """One answer of GitHub, unparsed."""

    status: int
    headers: Mapping[str, str]
    """Headers with case-insensitive names."""
    body: bytes


class Client:
    """Uses githubkit as transport. On a redirect to another host, httpx drops the Authorization header."""

    def __init__(self, api: str, app: AppInstallation | None = None) -> None:
        """`app`: sign requests as that App, for its own routes; without it, callers pass an Authorization header."""
        self._github: GitHub[Any] = GitHub(
            AppAuthStrategy(app.app_id, app.key) if app else UnauthAuthStrategy(),
            base_url=api,
            user_agent="reknit",
            timeout=_TIMEOUT,
            ssl_verify=_TRUSTED,
            auto_retry=False,
            http_cache=False,
            cache_strategy=MemCacheStrategy(),  # the default one is global, and has tokens in it
        )
        # githubkit keeps its open connections in a context variable, which other threads do not see. So every request
        # runs in a copy of the context in which they were opened.
        self._opened = contextvars.Context()
        self._opened.run(self._github.__enter__)
        self.close = weakref.finalize(self, self._opened.run, self._github.__exit__)

    def send(self, method: str, url: str, headers: Mapping[str, str], json: object = None) -> ApiResponse:
        request = f"{method} {_without_query(url)}"
        try:
            answer = self._request(method, url, headers, json=json)
        except RequestFailed as problem:
            raise failures.ApiRefusalError(problem.response.status_code, _to_failure(problem, request)) from None
        except (GitHubException, httpx.HTTPError, ValueError, OverflowError) as problem:
            raise ForgeError(_to_failure(problem, request)) from None
        return ApiResponse(answer.status_code, answer.headers, answer.content)

    def tail(self, url: str, headers: Mapping[str, str], most: int) -> bytes:
        """Return the last `most` bytes of a response that may be far larger."""
        end, ends_at = bytearray(), time.monotonic() + _MAX_TAIL_S
        try:
            for part in self._request("GET", url, headers, stream=True).iter_bytes():
                end += part
                if len(end) > 2 * most:
                    del end[:-most]
                if time.monotonic() > ends_at:
                    break  # a slow stream may never end
        except (GitHubException, httpx.HTTPError, ValueError, OverflowError) as problem:
            raise ForgeError(_to_failure(problem, f"GET {_without_query(url)}")) from None
        return bytes(end[-most:])

    def _request(
        self, method: str, url: str, headers: Mapping[str, str], json: object = None, *, stream: bool = False
    ) -> Response[Any]:
        def ask() -> Response[Any]:
            all_headers = {"X-GitHub-Api-Version": _VERSION, **headers}
            return self._github.request(method, url, headers=all_headers, json=json, stream=stream)

        return self._opened.copy().run(ask)


def _to_failure(problem: Exception, request: str) -> ForgeFailure:
    if isinstance(problem, RequestFailed):
        answer, now = problem.response, time.time()
        with contextlib.suppress(httpx.HTTPError):  # the body may not match its headers
            return failures.read_failure(answer.status_code, answer.headers, answer.text, request=request, now=now)
        return failures.read_failure(answer.status_code, answer.headers, "", request=request, now=now)
    if isinstance(problem, RequestError) and not isinstance(problem.exc, httpx.HTTPError):
        # githubkit raises RuntimeError only if the library for signing is missing
        why = (
            "needs `reknit[app]` installed"
            if isinstance(problem.exc, RuntimeError)
            else "its private key cannot be used"
        )
        return ForgeFailure("login", f"{request}: signing as the App: {why}")
    cause = problem.exc if isinstance(problem, RequestError) else problem
    return ForgeFailure("unreachable", f"{request}: {type(cause).__name__}")


def _without_query(url: str) -> str:
    return url.partition("?")[0]
