"""The front door of the API: who asks, what a fault makes of it, the route, and how the answer is sent."""

import hashlib
import json
import time
from typing import Any

from tests.tools.github import (
    rest_alerts,
    rest_checks,
    rest_identity,
    rest_jobs,
    rest_pulls,
    rest_repositories,
    rest_suites,
    rest_talk,
)
from tests.tools.github.bare import MissingError
from tests.tools.github.description import answer_problems, request_problems
from tests.tools.github.graphql_api import answer_graphql
from tests.tools.github.routes import ROUTES, Asked, RefusedError, Reply, error, find
from tests.tools.github.tokens import BadCredentialsError, Person, token_in
from tests.tools.github.web import DROPPED, Answer, Request
from tests.tools.github.world import World

PARTS = (rest_alerts, rest_checks, rest_identity, rest_jobs, rest_pulls, rest_repositories, rest_suites, rest_talk)
"""Each brings its routes by being imported."""
OPERATIONS = tuple(route.operation for route in ROUTES)
_LIMIT = 5000


class Api:
    def __init__(self, world: World) -> None:
        self._world = world
        self._used: dict[str, int] = {}

    def answer(self, request: Request) -> Answer:
        if self._world.faults.take("dropped"):
            return DROPPED
        token = token_in(request.headers.get("authorization", ""))
        reply, operation = self._reply(request, token)
        raw, kind = _encoded(reply.body)
        headers = {"content-type": kind, "vary": "Accept, Authorization, Cookie, X-GitHub-OTP, Accept-Encoding"}
        if operation and not isinstance(reply.body, str):
            self._world.violations += answer_problems(operation, reply.status, reply.body, raw)
        if request.method == "GET" and reply.status == 200:
            headers |= {"etag": f'W/"{hashlib.sha256(raw).hexdigest()}"', "cache-control": "private, max-age=60"}
        if "etag" in headers and headers["etag"] in request.headers.get("if-none-match", ""):
            return Answer(304, headers={**headers, **self._budget(token, spent=0)})
        return Answer(reply.status, raw, {**headers, **self._budget(token, spent=1), **reply.headers})

    def _reply(self, request: Request, token: str) -> tuple[Reply, str]:
        try:
            return self._served(request, token)
        except BadCredentialsError as problem:
            return Reply(401, error(401, str(problem))), ""
        except MissingError:
            return Reply(404, error(404, "Not Found")), ""
        except RefusedError as refused:
            return refused.reply, ""

    def _served(self, request: Request, token: str) -> tuple[Reply, str]:
        person = self._person(request, token)
        if spoiled := self._spoiled(request):
            return spoiled, ""
        if request.path == "/graphql":
            return answer_graphql(self._world, person, _body(request)), ""
        found = find(request.method, request.path)
        if found is None:
            self._world.violations.append(f"{request.method} {request.path}: not served here")
            raise MissingError(request.path)
        route, place = found
        asked = Asked(self._world, request, route.operation, person, place, _body(request))
        is_write = request.method != "GET" and not request.path.startswith("/app/")
        if is_write:
            self._check_write(asked)
        with self._world.lock:
            reply = route.handler(asked)
        if is_write and self._world.faults.take("lost_answer"):
            return Reply(502, error(502, "Server Error")), ""
        return reply, route.operation

    def _person(self, request: Request, token: str) -> Person:
        if not request.headers.get("user-agent"):
            raise RefusedError(403, "Request forbidden by administrative rules. Please have a User-Agent header")
        if request.path == "/app" or request.path.startswith("/app/"):
            self._world.tokens.app.verify(token)
            return Person(self._world.tokens.app.slug, is_bot=True)
        if token and self._world.faults.take("revoke_next"):
            self._world.faults.revoked.add(token)
        if token in self._world.faults.revoked:
            raise BadCredentialsError("Bad credentials")
        return self._world.tokens.owner(token)

    def _spoiled(self, request: Request) -> Reply | None:
        faults = self._world.faults
        if faults.take("secondary_limit"):
            message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
            return Reply(403, error(403, message), {"retry-after": str(faults.retry_after)})
        if faults.take("primary_limit"):
            reset = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(time.time()) + faults.retry_after)}
            message = "API rate limit exceeded for user ID 1."
            if request.path == "/graphql":
                return Reply(200, {"errors": [{"type": "RATE_LIMITED", "message": message}]}, reset)
            return Reply(403, error(403, message), reset)
        if faults.take("server_error"):
            return Reply(502, error(502, "Server Error"))
        return None

    def _check_write(self, asked: Asked) -> None:
        if not asked.person.login:
            raise RefusedError(401, "Requires authentication")
        if self._world.faults.take("permission"):
            raise RefusedError(403, "Resource not accessible by integration")
        if problems := request_problems(asked.operation, asked.body):
            raise RefusedError(422, f"Invalid request.\n\n{problems[0]}")

    def _budget(self, token: str, *, spent: int) -> dict[str, str]:
        self._used[token] = self._used.get(token, 0) + spent
        return {
            "x-ratelimit-limit": str(_LIMIT),
            "x-ratelimit-used": str(self._used[token]),
            "x-ratelimit-remaining": str(_LIMIT - self._used[token]),
            "x-ratelimit-reset": str(int(time.time()) + 3600),
            "x-ratelimit-resource": "core",
        }


def _body(request: Request) -> dict[str, Any]:
    try:
        body = json.loads(request.body) if request.body else {}
    except ValueError as problem:
        raise RefusedError(400, "Problems parsing JSON") from problem
    return body if isinstance(body, dict) else {}


def _encoded(body: Any) -> tuple[bytes, str]:
    if body is None:
        return b"", "application/json; charset=utf-8"
    if isinstance(body, str):
        return body.encode(), "text/plain; charset=utf-8"
    return json.dumps(body).encode(), "application/json; charset=utf-8"
