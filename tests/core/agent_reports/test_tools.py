"""What a client is told of the tools: all it needs to call them rightly, and not to hide or question them."""

from typing import Any, get_args

import pytest

from reknit.core.agent_reports.tools import (
    FINISH,
    FINISH_REVIEW,
    INSTRUCTIONS,
    SEVERITY,
    STATUS,
    TOOLS,
    VERDICT,
    ReportTool,
)
from reknit.core.agent_reports.values import FixStatus, Role, Severity, Verdict

ALL = [tool for role in TOOLS for tool in TOOLS[role]]


def test_a_tool_as_a_client_sees_it() -> None:
    assert FINISH_REVIEW.described() == {
        "name": "finish_review",
        "description": FINISH_REVIEW.about,
        "inputSchema": {
            "type": "object",
            "properties": {field.name: field.schema() for field in FINISH_REVIEW.fields},
            "required": ["verdict", "score", "summary"],
            "additionalProperties": False,
        },
        "annotations": {"destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
        "_meta": {"anthropic/alwaysLoad": True},
    }


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.name)
def test_only_what_has_no_default_is_required(tool: ReportTool) -> None:
    schema: Any = tool.described()["inputSchema"]
    optional = {name for name, field in schema["properties"].items() if "default" in field}
    assert set(schema["required"]) == set(schema["properties"]) - optional


@pytest.mark.parametrize("role", get_args(Role))
def test_each_role_is_told_to_call_what_it_owes(role: Role) -> None:
    assert FINISH[role] in TOOLS[role]
    assert all(tool.name in INSTRUCTIONS[role] for tool in TOOLS[role])


def test_the_words_are_those_of_the_values() -> None:
    words = [field.schema()["enum"] for field in (SEVERITY, VERDICT, STATUS)]
    assert words == [list(get_args(kind)) for kind in (Severity, Verdict, FixStatus)]
