"""GraphQL: the few things that are written this way."""

from collections.abc import Callable
from typing import Any

from tests.tools.github.graphql_nodes import find_comment, find_node, find_pull, find_thread
from tests.tools.github.graphql_objects import DeniedError, Node
from tests.tools.github.graphql_pulls import PullNodes
from tests.tools.github.talk import reply_in, say, tell_of_comment
from tests.tools.github.tokens import Person
from tests.tools.github.world import Repository, World

Mutation = Callable[[World, Person, dict[str, Any]], Node]


def _must_push(world: World, person: Person, repository: Repository, what: str) -> None:
    if not world.may_push(person, repository):
        raise DeniedError(f"{person.rest_login} does not have the correct permissions to execute `{what}`")


def resolve_thread(world: World, person: Person, asked: dict[str, Any]) -> Node:
    repository, _, thread = find_thread(world, asked["threadId"])
    _must_push(world, person, repository, "ResolveReviewThread")
    thread.resolved_by = thread.resolved_by or person
    return _payload(asked, thread=find_node(world, person, asked["threadId"]))


def unresolve_thread(world: World, person: Person, asked: dict[str, Any]) -> Node:
    repository, _, thread = find_thread(world, asked["threadId"])
    _must_push(world, person, repository, "UnresolveReviewThread")
    thread.resolved_by = None
    return _payload(asked, thread=find_node(world, person, asked["threadId"]))


def reply_in_thread(world: World, person: Person, asked: dict[str, Any]) -> Node:
    repository, pull, thread = find_thread(world, asked["pullRequestReviewThreadId"])
    comment = reply_in(world, repository, pull, thread, person, asked["body"])
    return _payload(asked, comment=PullNodes(world, repository, person).line_comment(pull, thread, comment))


def add_comment(world: World, person: Person, asked: dict[str, Any]) -> Node:
    repository, pull = find_pull(world, asked["subjectId"])
    comment = say(world, repository, pull, person, asked["body"])
    nodes = PullNodes(world, repository, person)
    edge = {"cursor": "", "node": nodes.comment(pull, comment)}
    return _payload(asked, commentEdge=edge, subject=nodes.pull_node(pull))


def update_comment(world: World, person: Person, asked: dict[str, Any]) -> Node:
    repository, pull, comment = find_comment(world, asked["id"])
    if comment.author != person:
        _must_push(world, person, repository, "UpdateIssueComment")
    comment.body, comment.updated_at = asked["body"], world.now()
    tell_of_comment(world, repository, pull, comment, "edited")
    return _payload(asked, issueComment=PullNodes(world, repository, person).comment(pull, comment))


def _payload(asked: dict[str, Any], **result: Node) -> Node:
    return {"clientMutationId": asked.get("clientMutationId"), **result}


MUTATIONS: dict[str, Mutation] = {
    "resolveReviewThread": resolve_thread,
    "unresolveReviewThread": unresolve_thread,
    "addPullRequestReviewThreadReply": reply_in_thread,
    "addComment": add_comment,
    "updateIssueComment": update_comment,
}
