"""GraphQL: what a global node id stands for."""

from collections.abc import Iterator

from tests.tools.github.bare import MissingError
from tests.tools.github.graphql_objects import Node
from tests.tools.github.graphql_pulls import PullNodes
from tests.tools.github.tokens import Person
from tests.tools.github.world import Comment, Pull, Repository, Thread, World


def find_node(world: World, viewer: Person, node_id: str) -> Node:
    kind, _, number = node_id.partition("_")
    if kind == "PR":
        repository, pull = find_pull(world, node_id)
        return PullNodes(world, repository, viewer).pull_node(pull)
    if kind == "PRRT":
        repository, pull, thread = find_thread(world, node_id)
        return PullNodes(world, repository, viewer).thread_node(pull, thread)
    if kind == "IC":
        repository, pull, comment = find_comment(world, node_id)
        return PullNodes(world, repository, viewer).comment(pull, comment)
    if kind == "R":
        for repository in world.repositories.values():
            if str(repository.id) == number:
                return PullNodes(world, repository, viewer).repository_node()
    raise MissingError(f"a node with the global id of '{node_id}'")


def find_pull(world: World, node_id: str) -> tuple[Repository, Pull]:
    for repository, pull in _pulls(world):
        if f"PR_{pull.id}" == node_id:
            return repository, pull
    raise MissingError(f"a node with the global id of '{node_id}'")


def find_thread(world: World, node_id: str) -> tuple[Repository, Pull, Thread]:
    for repository, pull in _pulls(world):
        for thread in pull.threads:
            if f"PRRT_{thread.id}" == node_id:
                return repository, pull, thread
    raise MissingError(f"a node with the global id of '{node_id}'")


def find_comment(world: World, node_id: str) -> tuple[Repository, Pull, Comment]:
    for repository, pull in _pulls(world):
        for comment in pull.comments:
            if f"IC_{comment.id}" == node_id:
                return repository, pull, comment
    raise MissingError(f"a node with the global id of '{node_id}'")


def _pulls(world: World) -> Iterator[tuple[Repository, Pull]]:
    for repository in world.repositories.values():
        for pull in repository.pulls.values():
            yield repository, pull
