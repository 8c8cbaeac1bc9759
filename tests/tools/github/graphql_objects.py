"""GraphQL: the small things that others are made of: actors, connections, checks, comments."""

import base64
from collections.abc import Callable, Sequence
from typing import Any

from graphql import GraphQLError

from tests.tools.github.rest_identity import user_id
from tests.tools.github.rest_talk import comment_url
from tests.tools.github.tokens import Person
from tests.tools.github.world import Check, Comment, Pull, Repository, Status, World

Node = dict[str, Any]
"""By field name: a value, or a function of the field's arguments."""
Arguments = dict[str, Any]


class DeniedError(Exception):
    """This identity may not do or see that."""


def actor(world: World, person: Person) -> Node:
    """A bot's login has no `[bot]` here, unlike in REST."""
    number = user_id(person)
    return {
        "__typename": "Bot" if person.is_bot else "User",
        "id": f"U_{number}",
        "databaseId": number,
        "login": person.login,
        "name": person.login,
        "url": f"{world.url}/{person.login}",
        "resourcePath": f"/{person.login}",
        "avatarUrl": lambda _: f"{world.url}/{person.login}.png",
    }


def connection(found: Sequence[Node]) -> Callable[[Arguments], Node]:
    """A list that is read in pages; who asks for nodes must say how many, at most 100."""
    return lambda arguments: _page(found, arguments)


def _page(found: Sequence[Node], arguments: Arguments) -> Node:
    first, last = arguments.get("first"), arguments.get("last")
    begin = _place(arguments.get("after"), 0)
    end = _place(arguments.get("before"), len(found) + 1) - 1
    if first is not None:
        end = min(end, begin + first)
    elif last is not None:
        begin = max(begin, end - last)

    def shown(_: Arguments) -> list[Node]:
        _check_bounds(first, last)
        return list(found[begin:end])

    cursors = [_cursor(number + 1) for number in range(begin, min(end, len(found)))]
    return {
        "totalCount": len(found),
        "issueCount": len(found),
        "nodes": shown,
        "edges": lambda _: [{"node": node, "cursor": cursor} for node, cursor in zip(shown({}), cursors, strict=True)],
        "pageInfo": {
            "hasNextPage": end < len(found),
            "hasPreviousPage": begin > 0,
            "startCursor": cursors[0] if cursors else None,
            "endCursor": cursors[-1] if cursors else None,
        },
    }


def _check_bounds(first: int | None, last: int | None) -> None:
    if first is None and last is None:
        raise GraphQLError("You must provide a `first` or `last` value to properly paginate the connection.")
    if max(first or 0, last or 0) > 100:
        raise GraphQLError("Requesting too many records on the connection exceeds the `first` limit of 100 records.")


def _cursor(place: int) -> str:
    return base64.b64encode(f"cursor:{place}".encode()).decode()


def _place(cursor: str | None, default: int) -> int:
    return default if cursor is None else int(base64.b64decode(cursor).decode().removeprefix("cursor:"))


def check_node(world: World, repository: Repository, check: Check, required: set[str]) -> Node:
    run = {
        "id": f"WFR_{repository.id}",
        "databaseId": repository.id,
        "url": f"{world.url}/{repository.slug}/actions/runs/{repository.id}",
        "event": "pull_request",
        "workflow": {"id": "W_1", "name": "CI", "databaseId": 1},
    }
    suite = {
        "id": f"CS_{repository.id}",
        "app": {"id": f"A_{check.app}", "slug": check.app, "name": check.app},
        "workflowRun": run if check.is_job else None,
    }
    return {
        "__typename": "CheckRun",
        "id": f"CR_{check.id}",
        "databaseId": check.id,
        "name": check.name,
        "status": check.status.upper(),
        "conclusion": check.conclusion and check.conclusion.upper(),
        "startedAt": check.started_at,
        "completedAt": check.completed_at,
        "detailsUrl": check.details_url,
        "url": check.details_url,
        "permalink": check.details_url,
        "title": check.title,
        "summary": check.summary,
        "text": check.text,
        "externalId": check.external_id,
        "isRequired": lambda _: check.name in required,
        "checkSuite": suite,
    }


def status_node(status: Status, required: set[str]) -> Node:
    return {
        "__typename": "StatusContext",
        "id": f"SC_{status.id}",
        "context": status.context,
        "state": status.state.upper(),
        "description": status.description,
        "targetUrl": "https://ci.example.com",
        "createdAt": status.at,
        "isRequired": lambda _: status.context in required,
    }


def label_node(name: str) -> Node:
    return {"id": f"LA_{name}", "name": name, "color": "ededed", "description": ""}


def comment_node(world: World, repository: Repository, pull: Pull, comment: Comment, viewer: Person) -> Node:
    """What a comment on the pull request and one on a line have in common."""
    return {
        "__typename": "PullRequestReviewComment" if comment.review else "IssueComment",
        "id": f"{'PRRC' if comment.review else 'IC'}_{comment.id}",
        "databaseId": comment.id,
        "fullDatabaseId": str(comment.id),
        "author": actor(world, comment.author),
        "authorAssociation": comment.association,
        "body": comment.body,
        "bodyText": comment.body,
        "url": comment_url(world, repository, pull, comment),
        "createdAt": comment.created_at,
        "publishedAt": comment.created_at,
        "updatedAt": comment.updated_at,
        "lastEditedAt": comment.updated_at if comment.updated_at != comment.created_at else None,
        "includesCreatedEdit": comment.updated_at != comment.created_at,
        "isMinimized": False,
        "minimizedReason": None,
        "reactionGroups": [],
        "viewerDidAuthor": comment.author == viewer,
        "viewerCanUpdate": comment.author == viewer or world.may_push(viewer, repository),
    }
