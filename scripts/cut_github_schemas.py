"""Cuts GitHub's OpenAPI description and GraphQL schema down to what the stand-in of the tests serves.

Both are GitHub's, under the MIT licence, and come by npm; the cuts are committed:
    npm pack @octokit/openapi@23.0.2 @octokit/graphql-schema@15.26.1
    tar -xzf octokit-openapi-23.0.2.tgz --strip-components=2 package/generated/api.github.com.json
    tar -xzf octokit-graphql-schema-15.26.1.tgz --strip-components=1 package/schema.graphql
    python -m scripts.cut_github_schemas FOLDER    (from the project's root; FOLDER has the two files)
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from graphql import (
    EnumTypeDefinitionNode,
    FieldDefinitionNode,
    InputObjectTypeDefinitionNode,
    InputValueDefinitionNode,
    InterfaceTypeDefinitionNode,
    ObjectTypeDefinitionNode,
    ScalarTypeDefinitionNode,
    TypeDefinitionNode,
    UnionTypeDefinitionNode,
    parse,
    print_ast,
)

from tests.tools.github.api import OPERATIONS
from tests.tools.github.description import CUT
from tests.tools.github.graphql_api import CUT as GRAPHQL_CUT

Json = dict[str, Any]
_NOTE = "Cut by scripts/cut_github_schemas.py from {}. Copyright GitHub, MIT licence."
_TALK = {"description", "title", "example", "examples", "externalDocs", "x-github", "x-multi-segment", "deprecated"}
"""Keys of a schema that check nothing."""
_WORDS = """
Query Mutation Node Actor RepositoryOwner User Bot Organization Mannequin Team App PageInfo Repository Ref GitObject
Commit GitActor GitActorConnection Label LabelConnection Milestone AutoMergeRequest UserConnection
PullRequest PullRequestConnection PullRequestCommit PullRequestCommitConnection PullRequestChangedFile
PullRequestChangedFileConnection IssueOrPullRequest Issue IssueConnection IssueComment IssueCommentConnection
IssueCommentEdge
PullRequestReview PullRequestReviewConnection PullRequestReviewComment PullRequestReviewCommentConnection
PullRequestReviewThread PullRequestReviewThreadConnection ReviewRequest ReviewRequestConnection RequestedReviewer
ReactionGroup ReactingUserConnection ReactorConnection ProjectCard ProjectCardConnection ProjectColumn Project
StatusCheckRollup StatusCheckRollupContext StatusCheckRollupContextConnection CheckRun StatusContext CheckSuite
WorkflowRun Workflow SearchResultItem SearchResultItemConnection RequirableByPullRequest Comment
ResolveReviewThreadPayload UnresolveReviewThreadPayload AddPullRequestReviewThreadReplyPayload AddCommentPayload
UpdateIssueCommentPayload
"""
_KEPT = frozenset(_WORDS.split())
"""GraphQL types with fields; a field of any other such type is left out."""


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0])
    whole = json.loads((folder / "api.github.com.json").read_text())
    CUT.write_text(json.dumps(cut_description(whole, OPERATIONS), separators=(",", ":"), sort_keys=True) + "\n")
    GRAPHQL_CUT.write_text(cut_graphql((folder / "schema.graphql").read_text()))
    for made in (CUT, GRAPHQL_CUT):
        sys.stdout.write(f"{made.name}: {made.stat().st_size} bytes\n")
    return 0


def cut_description(whole: Json, operations: Iterable[str]) -> Json:
    paths: Json = {}
    for operation in operations:
        method, template = operation.split(" ")
        paths.setdefault(template, {})[method.lower()] = _operation(whole, whole["paths"][template][method.lower()])
    schemas: Json = {}
    waiting = [*_named(paths), "nullable-repository"]
    while waiting:
        name = waiting.pop()
        if name not in schemas:
            schemas[name] = _bare(whole["components"]["schemas"][name])
            waiting += _named(schemas[name])
    _allow_deleted_forks(schemas)
    note = _NOTE.format("@octokit/openapi 23.0.2")
    return {"x-note": note, "info": _bare(whole["info"]), "paths": paths, "components": {"schemas": schemas}}


def _allow_deleted_forks(schemas: Json) -> None:
    """GitHub sends `head.repo: null` for them, and its description does not say so."""
    for name in {"pull-request", "pull-request-simple"} & schemas.keys():
        schemas[name]["properties"]["head"]["properties"]["repo"] = {"$ref": "#/components/schemas/nullable-repository"}


def _operation(whole: Json, operation: Json) -> Json:
    """Its answers by status (null: no JSON), what it takes, and GitHub's example of a success."""
    answers = {status: _resolved(whole, answer) for status, answer in operation["responses"].items()}
    cut: Json = {"responses": {status: _schema(answer) for status, answer in answers.items()}}
    for status in sorted(answers):
        examples = answers[status].get("content", {}).get("application/json", {}).get("examples")
        if status.startswith("2") and examples:
            cut["example"] = _resolved(whole, next(iter(examples.values()))).get("value")
            break
    if "requestBody" in operation:
        cut["request"] = _schema(_resolved(whole, operation["requestBody"]))
    return cut


def _schema(message: Json) -> Json | None:
    content = message.get("content", {}).get("application/json")
    return None if content is None else _bare(content["schema"])


def _resolved(whole: Json, part: Json) -> Json:
    if "$ref" not in part:
        return part
    found: Json = whole
    for step in part["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return found


def _bare(schema: Any) -> Any:
    """Without what checks nothing, and with null allowed where a nullable enum forgot to list it."""
    if isinstance(schema, list):
        return [_bare(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _part(key, value) for key, value in schema.items() if key not in _TALK}
    if kept.get("nullable") is True and isinstance(kept.get("enum"), list) and None not in kept["enum"]:
        kept["enum"] = [*kept["enum"], None]
    return kept


def _part(key: str, value: Any) -> Any:
    """The names below `properties` are names, even when they are words of the schema language."""
    if key == "properties" and isinstance(value, dict):
        return {name: _bare(schema) for name, schema in value.items()}
    return _bare(value)


def _named(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        reference = part.get("$ref")
        if isinstance(reference, str):
            yield reference.removeprefix("#/components/schemas/")
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from _named(each)


def cut_graphql(text: str) -> str:
    definitions = parse(text, no_location=True).definitions
    types = {each.name.value: each for each in definitions if isinstance(each, TypeDefinitionNode)}
    written: dict[str, str] = {}
    waiting = sorted(_KEPT)
    while waiting:
        name = waiting.pop()
        if name in types and name not in written:
            written[name], needed = _definition(types[name], types)
            waiting += needed
    body = "\n\n".join(written[name] for name in sorted(written))
    return f"# {_NOTE.format('@octokit/graphql-schema 15.26.1')}\n\n{body}\n"


def _definition(node: TypeDefinitionNode, types: Mapping[str, TypeDefinitionNode]) -> tuple[str, list[str]]:
    """The type as the schema language writes it, and which other types that needs."""
    name = node.name.value
    if isinstance(node, ScalarTypeDefinitionNode):
        return f"scalar {name}", []
    if isinstance(node, EnumTypeDefinitionNode):
        return f"enum {name} {{\n" + "".join(f"  {value.name.value}\n" for value in node.values or ()) + "}", []
    if isinstance(node, UnionTypeDefinitionNode):
        return f"union {name} = " + " | ".join(_kept_names(node.types or ())), []
    if isinstance(node, InputObjectTypeDefinitionNode):
        lines = [f"  {_argument(field)}\n" for field in node.fields or ()]
        return f"input {name} {{\n{''.join(lines)}}}", [_type_name(field) for field in node.fields or ()]
    if not isinstance(node, ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode):
        raise TypeError(f"{name} is of no kind known here")
    fields = [field for field in node.fields or () if _is_kept(field, types)]
    word = "type" if isinstance(node, ObjectTypeDefinitionNode) else "interface"
    over = _kept_names(node.interfaces or ())
    head = f"{word} {name}" + (f" implements {' & '.join(over)}" if over else "")
    needed = [_type_name(field) for field in fields]
    needed += [_type_name(argument) for field in fields for argument in field.arguments or ()]
    return f"{head} {{\n{''.join(f'  {_field(field)}' + chr(10) for field in fields)}}}", needed


def _kept_names(named: Iterable[Any]) -> list[str]:
    return [each.name.value for each in named if each.name.value in _KEPT]


def _is_kept(field: FieldDefinitionNode, types: Mapping[str, TypeDefinitionNode]) -> bool:
    name = _type_name(field)
    plain = isinstance(types.get(name), ScalarTypeDefinitionNode | EnumTypeDefinitionNode)
    return name in _KEPT or plain or name not in types


def _field(field: FieldDefinitionNode) -> str:
    arguments = ", ".join(_argument(argument) for argument in field.arguments or ())
    return f"{field.name.value}{f'({arguments})' if arguments else ''}: {print_ast(field.type)}"


def _argument(node: InputValueDefinitionNode) -> str:
    default = f" = {print_ast(node.default_value)}" if node.default_value else ""
    return f"{node.name.value}: {print_ast(node.type)}{default}"


def _type_name(node: FieldDefinitionNode | InputValueDefinitionNode) -> str:
    return print_ast(node.type).strip("[]!")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
