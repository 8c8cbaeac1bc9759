"""Which function answers which operation, under the names GitHub's description gives them."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.tools.github.bare import MissingError
from tests.tools.github.tokens import Person
from tests.tools.github.web import Request
from tests.tools.github.world import Json, Repository, World


@dataclass(frozen=True)
class Asked:
    """One API request, understood."""

    world: World
    request: Request
    operation: str
    person: Person
    place: dict[str, str]
    """What stands for the names in the path."""
    body: Json

    @property
    def repository(self) -> Repository:
        found = self.world.repository(f"{self.place['owner']}/{self.place['repo']}")
        if found.private and not self.world.may_push(self.person, found):
            raise MissingError("a private repository shows itself to nobody else")
        return found

    @property
    def query(self) -> dict[str, str]:
        return self.request.asked

    def number(self, name: str) -> int:
        return int(self.place[name]) if self.place[name].isdigit() else 0


@dataclass(frozen=True)
class Reply:
    status: int
    body: Any = None
    """JSON; a plain string is sent as text."""
    headers: dict[str, str] = field(default_factory=dict)


Handler = Callable[[Asked], Reply]


@dataclass(frozen=True)
class Route:
    operation: str
    """`GET /repos/{owner}/{repo}`, as GitHub's description writes it."""
    pattern: re.Pattern[str]
    handler: Handler


ROUTES: list[Route] = []


class RefusedError(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, message: str, **more: Any) -> None:
        super().__init__(message)
        self.reply = Reply(status, error(status, message, **more))


def error(status: int, message: str, **more: Any) -> Json:
    return {"message": message, "documentation_url": "https://docs.github.com/rest", "status": str(status), **more}


def route(operation: str) -> Callable[[Handler], Handler]:
    method, _, template = operation.partition(" ")
    # a branch or ref has slashes of its own
    pattern = re.sub(r"\{(ref|branch)\}", r"(?P<\1>.+)", template)
    pattern = re.sub(r"(?<!\?P<)\{(\w+)\}", r"(?P<\1>[^/]+)", pattern)

    def register(handler: Handler) -> Handler:
        ROUTES.append(Route(operation, re.compile(f"{method} {pattern}"), handler))
        return handler

    return register


def find(method: str, path: str) -> tuple[Route, dict[str, str]] | None:
    for known in ROUTES:
        if match := known.pattern.fullmatch(f"{method} {path}"):
            return known, match.groupdict()
    return None


def page(asked: Asked, found: list[Any]) -> tuple[list[Any], dict[str, str]]:
    """The asked page of a list, and the `Link` header to the others."""
    size = min(int(asked.query.get("per_page") or 30), 100)
    number = max(int(asked.query.get("page") or 1), 1)
    last = max(1, -(-len(found) // size))
    links = {"prev": number - 1, "first": 1} if number > 1 else {}
    if number < last:
        links |= {"next": number + 1, "last": last}
    rest = "".join(f"&{name}={value}" for name, value in asked.query.items() if name not in ("page", "per_page"))
    place = f"{asked.world.url}{asked.request.path}?per_page={size}{rest}"
    header = ", ".join(f'<{place}&page={where}>; rel="{word}"' for word, where in links.items())
    return found[(number - 1) * size : number * size], {"link": header} if header else {}
