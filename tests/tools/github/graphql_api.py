"""GraphQL on GitHub's own schema: what is asked is checked by it, and what is not modelled here is an error."""

import functools
from pathlib import Path
from typing import Any

from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLResolveInfo,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    build_schema,
    execute_sync,
    parse,
    validate,
)

from tests.tools.github.bare import MissingError
from tests.tools.github.graphql_mutations import MUTATIONS
from tests.tools.github.graphql_nodes import find_node
from tests.tools.github.graphql_objects import Arguments, DeniedError, Node, actor, connection
from tests.tools.github.graphql_pulls import PullNodes
from tests.tools.github.routes import RefusedError, Reply, error
from tests.tools.github.tokens import Person
from tests.tools.github.world import Json, World

CUT = Path(__file__).with_name("schema.cut.graphql")


@functools.cache
def _schema() -> GraphQLSchema:
    return build_schema(CUT.read_text(), assume_valid=True, no_location=True)


@functools.cache
def _document(query: str) -> tuple[DocumentNode, tuple[str, ...]]:
    """Parsed and checked once a process: clients ask the same things again and again."""
    document = parse(query)
    return document, tuple(problem.message for problem in validate(_schema(), document))


def answer_graphql(world: World, person: Person, body: Json) -> Reply:
    if not person.login:
        raise RefusedError(401, "This endpoint requires you to be authenticated.")
    try:
        document, problems = _document(str(body.get("query", "")))
    except GraphQLError as problem:
        return Reply(200, {"errors": [{"message": problem.message}]})
    if problems:
        world.violations += [f"GraphQL: {problem}" for problem in problems]
        return Reply(200, {"errors": [{"message": problem} for problem in problems]})
    is_write = _is_mutation(document, body.get("operationName"))
    if is_write and world.faults.take("permission"):
        refused = {"type": "FORBIDDEN", "message": "Resource not accessible by integration"}
        return Reply(200, {"data": None, "errors": [refused]})
    answer = _executed(world, person, document, body)
    if is_write and "errors" not in answer and world.faults.take("lost_answer"):
        return Reply(502, error(502, "Server Error"))
    return Reply(200, answer)


def _executed(world: World, person: Person, document: DocumentNode, body: Json) -> Json:
    with world.lock:
        result = execute_sync(
            _schema(),
            document,
            _root(world, person),
            context_value=world,
            variable_values=body.get("variables"),
            operation_name=body.get("operationName"),
            field_resolver=_resolve,
        )
    answer: Json = {"data": result.data}
    if result.errors:
        answer["errors"] = [_error(problem) for problem in result.errors]
    return answer


def _is_mutation(document: DocumentNode, name: str | None) -> bool:
    operations = [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
    asked = [each for each in operations if not name or (each.name and each.name.value == name)]
    return any(each.operation is OperationType.MUTATION for each in asked)


def _resolve(source: Node, info: GraphQLResolveInfo[World], **arguments: Any) -> Any:
    if info.field_name not in source:
        problem = f"GraphQL: {info.parent_type.name}.{info.field_name} is not modelled"
        info.context.violations.append(problem)
        raise GraphQLError(problem)
    value = source[info.field_name]
    return value(arguments) if callable(value) else value


def _error(problem: GraphQLError) -> Json:
    cause = problem.original_error
    told: Json = {"message": problem.message, "path": list(problem.path or ())}
    if isinstance(cause, MissingError):
        return {**told, "type": "NOT_FOUND", "message": f"Could not resolve to {cause}."}
    return {**told, "type": "FORBIDDEN"} if isinstance(cause, DeniedError) else told


def _root(world: World, person: Person) -> Node:
    def repository(arguments: Arguments) -> Node:
        found = world.repository(f"{arguments['owner']}/{arguments['name']}")
        if found.private and not world.may_push(person, found):
            raise MissingError(f"a Repository with the name '{found.slug}'")
        return PullNodes(world, found, person).repository_node()

    def mutation(name: str) -> Any:
        return lambda arguments: MUTATIONS[name](world, person, arguments["input"])

    return {
        "repository": repository,
        "node": lambda arguments: find_node(world, person, arguments["id"]),
        "nodes": lambda arguments: [find_node(world, person, each) for each in arguments["ids"]],
        "viewer": actor(world, person) | {"__typename": "User", "login": person.rest_login},
        "search": lambda arguments: connection([])(arguments),
        **{name: mutation(name) for name in MUTATIONS},
    }
