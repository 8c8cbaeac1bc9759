"""REST: who the token is, the App itself, and its exchange of a JWT for an installation token."""

import zlib

from tests.tools.github.bare import MissingError
from tests.tools.github.description import example
from tests.tools.github.routes import Asked, RefusedError, Reply, route
from tests.tools.github.tokens import Person
from tests.tools.github.world import Json, World, stamp


def user_id(person: Person) -> int:
    return zlib.crc32(person.rest_login.encode())


def user_object(world: World, person: Person) -> Json:
    """What GitHub calls a simple user."""
    user: Json = example("GET /repos/{owner}/{repo}/pulls/{pull_number}", url=world.url)["user"]
    return user | _about(world, person)


def _about(world: World, person: Person) -> Json:
    kind = "Bot" if person.is_bot else "User"
    number = user_id(person)
    place = f"{world.url}/users/{person.rest_login}"
    return {"login": person.rest_login, "id": number, "node_id": f"U_{number}", "type": kind, "url": place}


@route("GET /")
def get_root(asked: Asked) -> Reply:
    """What `gh auth status` tries a token with."""
    if not asked.person.login:
        raise RefusedError(401, "Requires authentication")
    return Reply(200, example(asked.operation, url=asked.world.url), {"x-oauth-scopes": "repo, read:org, workflow"})


@route("GET /user")
def get_user(asked: Asked) -> Reply:
    if not asked.person.login:
        raise RefusedError(401, "Requires authentication")
    if asked.person.is_bot:
        raise RefusedError(403, "Resource not accessible by integration")
    own = {**_about(asked.world, asked.person), "user_view_type": "private"}
    return Reply(200, example(asked.operation, url=asked.world.url) | own)


@route("GET /app")
def get_app(asked: Asked) -> Reply:
    return Reply(200, app_object(asked.world, asked.world.tokens.app.slug))


def app_object(world: World, slug: str) -> Json:
    app: Json = example("GET /app", url=world.url)
    number = world.tokens.app.id if slug == world.tokens.app.slug else zlib.crc32(slug.encode())
    return app | {"id": number, "slug": slug, "name": slug, "node_id": f"A_{number}"}


@route("POST /app/installations/{installation_id}/access_tokens")
def exchange(asked: Asked) -> Reply:
    app = asked.world.tokens.app
    if asked.number("installation_id") != app.installation_id:
        raise MissingError("installation")
    token, until = app.exchange()
    permissions = {"checks": "write", "contents": "write", "issues": "write", "metadata": "read"}
    granted = permissions | {"pull_requests": "write", "actions": "write", "statuses": "read"}
    answer = {"token": token, "expires_at": stamp(until), "permissions": granted, "repository_selection": "all"}
    return Reply(201, answer)
