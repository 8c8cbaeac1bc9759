"""The script that cuts GitHub's descriptions, on small ones; and that the committed cuts fit what is served."""

import json

from graphql import build_schema, validate_schema
from scripts.cut_github_schemas import cut_description, cut_graphql

from tests.tools.github import description, graphql_api
from tests.tools.github.api import OPERATIONS
from tests.tools.github.graphql_mutations import MUTATIONS

WHOLE = {
    "info": {"version": "1", "description": "talk"},
    "paths": {
        "/a": {
            "get": {
                "summary": "talk",
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {
                                "schema": {"$ref": "#/components/schemas/a"},
                                "examples": {"default": {"$ref": "#/components/examples/a"}},
                            }
                        }
                    },
                    "404": {"$ref": "#/components/responses/gone"},
                },
            },
            "post": {"responses": {}},
        },
        "/pulls": {
            "get": {
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/pull-request"}}}}
                }
            }
        },
        "/b": {"get": {"responses": {}}},
    },
    "components": {
        "examples": {"a": {"value": {"title": "one"}}},
        "responses": {"gone": {"description": "no JSON"}},
        "schemas": {
            "a": {
                "description": "talk",
                "type": "object",
                "properties": {
                    "title": {"type": "string", "description": "talk"},
                    "state": {"type": "string", "nullable": True, "enum": ["x"]},
                    "other": {"$ref": "#/components/schemas/c"},
                },
            },
            "b": {"type": "object"},
            "c": {"type": "integer", "example": 1},
            "nullable-repository": {"type": "object", "nullable": True},
            "pull-request": {"properties": {"head": {"properties": {"repo": {"type": "object"}}}}},
        },
    },
}


def test_only_what_is_served_and_what_it_needs_is_kept() -> None:
    cut = cut_description(json.loads(json.dumps(WHOLE)), ["GET /a"])
    assert list(cut["paths"]) == ["/a"]
    assert list(cut["paths"]["/a"]) == ["get"]
    assert cut["paths"]["/a"]["get"] == {
        "responses": {"200": {"$ref": "#/components/schemas/a"}, "404": None},
        "example": {"title": "one"},
    }
    assert "b" not in cut["components"]["schemas"]
    assert cut["components"]["schemas"]["c"] == {"type": "integer"}
    assert "MIT" in cut["x-note"]


def test_a_property_may_be_called_title_and_a_nullable_enum_takes_null() -> None:
    kept = cut_description(json.loads(json.dumps(WHOLE)), ["GET /a"])["components"]["schemas"]["a"]
    assert kept["properties"]["title"] == {"type": "string"}
    assert kept["properties"]["state"]["enum"] == ["x", None]
    assert "description" not in kept


def test_a_deleted_fork_is_allowed_for() -> None:
    kept = cut_description(json.loads(json.dumps(WHOLE)), ["GET /pulls"])["components"]["schemas"]
    assert kept["pull-request"]["properties"]["head"]["properties"]["repo"] == {
        "$ref": "#/components/schemas/nullable-repository"
    }
    assert kept["nullable-repository"]["nullable"]


def test_graphql_fields_of_types_that_are_left_out_go_with_them() -> None:
    whole = """
    "talk" type Query { viewer: User! license(key: String!): License node(id: ID!, kind: Kind = A, by: By): Node }
    type License { key: String } type User implements Node & Starrable { id: ID! login: String! license: License }
    interface Node { id: ID! } interface Starrable { id: ID! } enum Kind { A B } input By { kind: Kind, many: [Int!] }
    enum Unused { C }
    """
    cut = cut_graphql(whole)
    assert validate_schema(build_schema(cut)) == []
    assert "node(id: ID!, kind: Kind = A, by: By): Node" in cut
    assert "type User implements Node {" in cut
    assert not [word for word in ("License", "Starrable", "Unused", "talk") if word in cut]


def test_the_committed_cuts_have_all_that_is_served_and_stay_small() -> None:
    cut = json.loads(description.CUT.read_text())
    assert {f"{method.upper()} {path}" for path, known in cut["paths"].items() for method in known} == set(OPERATIONS)
    schema = build_schema(graphql_api.CUT.read_text())
    assert validate_schema(schema) == []
    assert schema.mutation_type is not None
    assert set(schema.mutation_type.fields) == set(MUTATIONS)
    assert description.CUT.stat().st_size < 400_000
    assert graphql_api.CUT.stat().st_size < 100_000
