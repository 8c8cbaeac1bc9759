from typing import Any

import pytest

from reknit.core.agent_reports import tools
from reknit.core.agent_reports.session import ReportSession, handle_message
from reknit.core.agent_reports.values import PlannedTask, PlanProposal

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
    ({"tasks": [{**EXAMPLE["tasks"][0], "files": ["a.py"]}]}, "'files': unknown field"),
    ({"acceptance_criteria": [""]}, "got 0 characters at [0]"),
    ({"confidence": 101}, "confidence: expected an integer from 0 to 100, got 101"),
    ({"confidence": "78"}, "confidence: expected an integer"),
]


def answer(session: ReportSession, arguments: object) -> tuple[ReportSession, str, bool]:
    call = {"name": "propose_plan", "arguments": arguments}
    after, reply = handle_message(session, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    assert reply is not None
    result: Any = reply["result"]
    return after, result["content"][0]["text"], result["isError"]


def test_the_example_is_a_plan() -> None:
    session, said, is_error = answer(ReportSession("plan"), EXAMPLE)
    assert not is_error, said
    report = session.report
    assert isinstance(report, PlanProposal)
    assert report.tasks[1] == PlannedTask("Refresh docs/STATE.md frontmatter", "S", "L")
    assert (report.primary, report.alternate, report.confidence_0_100) == ("grey", "professor", 78)


def test_no_alternate_is_null() -> None:
    session, _, _ = answer(ReportSession("plan"), {**EXAMPLE, "alternate": None, "alternate_when": None})
    assert isinstance(session.report, PlanProposal)
    assert session.report.alternate == ""


@pytest.mark.parametrize(("change", "said"), WRONG)
def test_what_is_wrong_is_told_exactly(change: dict[str, Any], said: str) -> None:
    session, told, is_error = answer(ReportSession("plan"), {**EXAMPLE, **change})
    assert is_error
    assert said in told
    assert session.report is None
    assert session.refused_answers[0].why in told


def test_the_second_answer_is_the_last() -> None:
    session, _, _ = answer(ReportSession("plan"), {**EXAMPLE, "confidence": 200})
    session, _, _ = answer(session, {"confidence": 300})
    assert [refused.why.count("confidence") for refused in session.refused_answers] == [1, 1]
    assert "300" in session.refused_answers[1].raw
    after, said, is_error = answer(session, EXAMPLE)
    assert is_error
    assert "no further answer" in said
    assert after == session


def test_a_right_answer_after_a_wrong_one_counts_and_is_not_replaced() -> None:
    session, _, _ = answer(ReportSession("plan"), {**EXAMPLE, "confidence": 200})
    session, said, is_error = answer(session, EXAMPLE)
    assert not is_error, said
    after, _, is_error = answer(session, {**EXAMPLE, "primary": "red"})
    assert is_error
    assert after == session
    assert len(session.refused_answers) == 1


def test_the_tool_has_these_fields_and_no_others() -> None:
    schema: Any = tools.PROPOSE_PLAN.described()["inputSchema"]
    assert list(schema["properties"]) == list(EXAMPLE)
    assert schema["required"] == list(EXAMPLE)
    assert schema["additionalProperties"] is False
    task = schema["properties"]["tasks"]["items"]
    assert list(task["properties"]) == ["title", "effort", "impact"]
    assert task["additionalProperties"] is False
    assert schema["properties"]["alternate"]["type"] == ["string", "null"]
