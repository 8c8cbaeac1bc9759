"""What a client is told of the tools: all it needs to call them rightly, and not to hide or question them."""

from typing import Any, get_args

import pytest

from reknit.core.agent_reports import tools
from reknit.core.agent_reports.document import format_sentence, to_document
from reknit.core.agent_reports.session import ReportSession, handle_message
from reknit.core.agent_reports.tools import (
    FINISH,
    FINISH_REVIEW,
    INSTRUCTIONS,
    MAX_CASES,
    SEVERITY,
    STATUS,
    TOOLS,
    VERDICT,
    ReportTool,
)
from reknit.core.agent_reports.values import (
    CaseProposal,
    FixStatus,
    HeldOutCase,
    PlannedTask,
    PlanProposal,
    Role,
    Severity,
    Verdict,
)

ALL = [tool for role in TOOLS for tool in TOOLS[role]]


def test_a_tool_as_a_client_sees_it() -> None:
    assert FINISH_REVIEW.to_document() == {
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
    schema: Any = tool.to_document()["inputSchema"]
    optional = {name for name, field in schema["properties"].items() if "default" in field}
    assert set(schema["required"]) == set(schema["properties"]) - optional


@pytest.mark.parametrize("role", get_args(Role))
def test_each_role_is_told_to_call_what_it_owes(role: Role) -> None:
    assert FINISH[role] in TOOLS[role]
    assert all(tool.name in INSTRUCTIONS[role] for tool in TOOLS[role])


def test_the_words_are_those_of_the_values() -> None:
    words = [field.schema()["enum"] for field in (SEVERITY, VERDICT, STATUS)]
    assert words == [list(get_args(kind)) for kind in (Severity, Verdict, FixStatus)]


CASE = {"test": "t/test_b.py::test_b", "path": "t/test_b.py", "text": "def test_b():\n\tpass\n", "about": "a share"}


def answer(arguments: object) -> tuple[ReportSession, str]:
    call = {"name": "propose_cases", "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    after, reply = handle_message(ReportSession("holdout"), message)
    assert reply is not None
    result: Any = reply["result"]
    return after, result["content"][0]["text"]


def test_cases_are_read_as_they_were_written() -> None:
    session, said = answer({"cases": [CASE]})
    assert session.report == CaseProposal((HeldOutCase(**CASE),)), said
    assert (said, format_sentence(session)) == ("noted; the report is complete", "holdout: 1 case(s)")
    assert to_document(session)["report"] == {"cases": [CASE]}


def test_no_case_is_an_answer_too() -> None:
    session, _ = answer({"cases": []})
    assert (session.report, session.problem) == (CaseProposal(()), "")


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        (None, "cases: expected a list of 0 to 5"),
        ([CASE] * (MAX_CASES + 1), "got a list of 6"),
        ([{**CASE, "path": "../test_b.py"}], "path: expected a path relative to the top of the repository"),
        ([{**CASE, "text": ""}], "text: expected text of 1 to 8000 characters"),
        ([{**CASE, "language": "python"}], "'language': unknown field"),
    ],
)
def test_what_is_refused(cases: object, said: str) -> None:
    session, words = answer({"cases": cases})
    assert said in words and session.report is None


EXAMPLE: dict[str, Any] = {
    "primary": "grey",
    "primary_rationale": "Repo has 4 docs flagged stale and 3 missing CHANGELOG entries",
    "alternate": "professor",
    "alternate_when": "if the operator wants a strategic plan rather than a janitor pass first",
    "tasks": [
        {"title": "Backfill CHANGELOG entries for the last 5 releases", "effort": "M", "impact": "M"},
        {"title": "Refresh docs/STATE.md frontmatter", "effort": "S", "impact": "L"},
    ],
    "acceptance_criteria": ["All docs have status: current frontmatter"],
    "confidence": 78,
}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"primray": "grey"}, "did you mean 'primary'?"),
    ({"primary": None}, "primary: expected text of 1 to 60 characters, got null"),
    ({"alternate": 3}, "alternate: expected text of 1 to 60 characters, or null, got 3"),
    ({"alternate": None}, "alternate_when: expected text exactly if alternate is not null"),
    ({"tasks": []}, "got a list of 0"),
    ({"tasks": "none"}, "got 'none'"),
    ({"tasks": ["one"]}, "got 'one' at [0]"),
    (
        {"tasks": [*EXAMPLE["tasks"], {"title": "x", "effort": "XL", "impact": "M"}]},
        "effort: expected one of S, M, L",
    ),
    ({"tasks": [{**EXAMPLE["tasks"][0], "file": "a.py"}]}, "'file': unknown field"),
    ({"tasks": [{**EXAMPLE["tasks"][0], "files": ["../a.py"]}]}, "files: expected a list of 0 to 20, each a path"),
    ({"acceptance_criteria": [""]}, "got 0 characters at [0]"),
    ({"confidence": 101}, "confidence: expected an integer from 0 to 100, got 101"),
    ({"confidence": "78"}, "confidence: expected an integer"),
]


def answer_plan(session: ReportSession, arguments: object) -> tuple[ReportSession, str, bool]:
    call = {"name": "propose_plan", "arguments": arguments}
    after, reply = handle_message(session, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    assert reply is not None
    result: Any = reply["result"]
    return after, result["content"][0]["text"], result["isError"]


def test_the_example_is_a_plan() -> None:
    session, said, is_error = answer_plan(ReportSession("plan"), EXAMPLE)
    assert not is_error, said
    report = session.report
    assert isinstance(report, PlanProposal)
    assert report.tasks[1] == PlannedTask("Refresh docs/STATE.md frontmatter", "S", "L")
    assert (report.primary, report.alternate, report.confidence_0_100) == ("grey", "professor", 78)


def test_no_alternate_is_null() -> None:
    session, _, _ = answer_plan(ReportSession("plan"), {**EXAMPLE, "alternate": None, "alternate_when": None})
    assert isinstance(session.report, PlanProposal)
    assert session.report.alternate == ""


@pytest.mark.parametrize(("change", "said"), WRONG)
def test_what_is_wrong_is_told_exactly(change: dict[str, Any], said: str) -> None:
    session, told, is_error = answer_plan(ReportSession("plan"), {**EXAMPLE, **change})
    assert is_error
    assert said in told
    assert session.report is None
    assert session.refused_answers[0].why in told


def test_the_second_answer_is_the_last() -> None:
    session, _, _ = answer_plan(ReportSession("plan"), {**EXAMPLE, "confidence": 200})
    session, _, _ = answer_plan(session, {"confidence": 300})
    assert [refused.why.count("confidence") for refused in session.refused_answers] == [1, 1]
    assert "300" in session.refused_answers[1].raw
    after, said, is_error = answer_plan(session, EXAMPLE)
    assert is_error
    assert "no further answer" in said
    assert after == session


def test_a_right_answer_after_a_wrong_one_counts_and_is_not_replaced() -> None:
    session, _, _ = answer_plan(ReportSession("plan"), {**EXAMPLE, "confidence": 200})
    session, said, is_error = answer_plan(session, EXAMPLE)
    assert not is_error, said
    after, _, is_error = answer_plan(session, {**EXAMPLE, "primary": "red"})
    assert is_error
    assert after == session
    assert len(session.refused_answers) == 1


def test_the_tool_has_these_fields_and_no_others() -> None:
    schema: Any = tools.PROPOSE_PLAN.to_document()["inputSchema"]
    assert list(schema["properties"]) == list(EXAMPLE)
    assert schema["required"] == list(EXAMPLE)
    assert schema["additionalProperties"] is False
    task = schema["properties"]["tasks"]["items"]
    assert list(task["properties"]) == ["title", "effort", "impact", "files", "new_files"]
    assert task["required"] == ["title", "effort", "impact"]
    assert task["additionalProperties"] is False
    assert schema["properties"]["alternate"]["type"] == ["string", "null"]
