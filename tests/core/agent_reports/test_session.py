"""What an agent may hand in, what is refused and in which words, and that no message can upset the desk."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.agent_reports.session import MAX_FINDINGS, PROTOCOLS, ReportSession, handle_message
from reknit.core.agent_reports.values import FixReport, ReportedFinding, Review, Role

REVIEW, FIX = ReportSession("review"), ReportSession("fix")
FINDING = {"category": "tests", "severity": "blocking", "file": "shop/pricing.py", "line": 12, "issue": "off by one"}
WARNING = {**FINDING, "severity": "warning"}
NEEDS_WORK = {"verdict": "needs_work", "score": 40, "summary": "one bug"}
PASSED = {"verdict": "passed", "score": 97, "summary": "sound"}


def ask(method: object, params: object = None, **more: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params, **more}


def call(session: ReportSession, tool: str, arguments: object) -> tuple[ReportSession, str, bool]:
    after, reply = handle_message(session, ask("tools/call", {"name": tool, "arguments": arguments}))
    assert reply is not None
    result: Any = reply["result"]
    return after, result["content"][0]["text"], result["isError"]


def after(session: ReportSession, *calls: tuple[str, object]) -> ReportSession:
    for tool, arguments in calls:
        session, _, _ = call(session, tool, arguments)
    return session


def result(session: ReportSession, message: object) -> Any:
    same, reply = handle_message(session, message)
    assert same == session
    assert reply is not None
    assert (reply["jsonrpc"], reply["id"]) == ("2.0", 7)
    return reply["result"]


@pytest.mark.parametrize("known", PROTOCOLS)
def test_it_speaks_the_version_of_the_client(known: str) -> None:
    assert result(REVIEW, ask("initialize", {"protocolVersion": known}))["protocolVersion"] == known


@pytest.mark.parametrize("params", [{"protocolVersion": "2031-01-01"}, {"protocolVersion": []}, {}, None, [1]])
def test_to_a_version_it_does_not_know_it_offers_its_newest(params: object) -> None:
    greeting = result(REVIEW, ask("initialize", params))
    assert greeting["protocolVersion"] == PROTOCOLS[-1]
    assert greeting["capabilities"] == {"tools": {}}
    assert greeting["serverInfo"]["name"] == "reknit"
    assert "finish_review" in greeting["instructions"]


def test_it_answers_a_ping() -> None:
    assert result(FIX, ask("ping")) == {}


@pytest.mark.parametrize(("role", "names"), [("review", ["report_finding", "finish_review"]), ("fix", ["finish_fix"])])
def test_each_role_has_its_own_tools(role: Role, names: list[str]) -> None:
    tools = result(ReportSession(role), ask("tools/list"))["tools"]
    assert [tool["name"] for tool in tools] == names
    for tool in tools:
        schema = tool["inputSchema"]
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) <= set(schema["properties"])
        assert all(field["description"] for field in schema["properties"].values())


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"jsonrpc": "2.0", "method": "notifications/initialized"}, id="a notification"),
        pytest.param(
            {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "finish_review", "arguments": PASSED}},
            id="a call nobody waits for",
        ),
        pytest.param({"jsonrpc": "2.0", "id": 1, "result": {}}, id="an answer"),
        pytest.param({"jsonrpc": "2.0", "id": 1, "error": {}}, id="an error"),
    ],
)
def test_what_asks_nothing_gets_no_answer_and_changes_nothing(message: object) -> None:
    assert handle_message(REVIEW, message) == (REVIEW, None)


@pytest.mark.parametrize(
    ("message", "code", "number", "words"),
    [
        pytest.param([ask("ping")], -32600, None, "expected one JSON-RPC message, got a list", id="a batch"),
        pytest.param("ping", -32600, None, "expected one JSON-RPC message, got 'ping'", id="a word"),
        pytest.param(
            {"id": 7, "method": "ping"}, -32600, 7, "jsonrpc: expected '2.0', got null", id="another protocol"
        ),
        pytest.param(ask(12), -32600, 7, "method: expected text, got 12", id="a number for a method"),
        pytest.param(
            ask("ping", id=True), -32600, None, "id: expected text or an integer, got true", id="a bool for an id"
        ),
        pytest.param(ask("ping", id=None), -32600, None, "id: expected text or an integer, got null", id="a null id"),
        pytest.param(ask("server/discover"), -32601, 7, "no method 'server/discover'", id="an unknown method"),
        pytest.param(ask("tools/call"), -32602, 7, "name: expected the name of a tool, got null", id="no tool named"),
        pytest.param(
            ask("tools/call", {"name": 3}), -32602, 7, "name: expected the name of a tool, got 3", id="tool 3"
        ),
    ],
)
def test_what_is_no_sound_request_is_an_error(message: object, code: int, number: object, words: str) -> None:
    error = {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": words}}
    assert handle_message(REVIEW, message) == (REVIEW, error)


def test_a_review_is_its_verdict_with_all_findings_before_and_after_it() -> None:
    full = {**WARNING, "suggestion": "use <=", "effort": 1, "title": "off  by\none", "files": 2}
    session = after(REVIEW, ("report_finding", FINDING), ("finish_review", NEEDS_WORK), ("report_finding", full))
    assert session.problem == ""
    assert session.report == Review(
        verdict="needs_work",
        score_0_100=40,
        summary="one bug",
        findings=(
            ReportedFinding("tests", "blocking", "shop/pricing.py", 12, "off by one", "", 3),
            ReportedFinding("tests", "warning", "shop/pricing.py", 12, "off by one", "use <=", 1, "off by one", 2),
        ),
    )


@pytest.mark.parametrize(
    ("arguments", "report"),
    [
        pytest.param({"status": "fixed", "summary": "done"}, FixReport("fixed", "done"), id="fixed"),
        pytest.param(
            {"status": "fixed", "summary": "done", "title": "Round prices"},
            FixReport("fixed", "done", title="Round prices"),
            id="with a title",
        ),
        pytest.param(
            {"status": "gave_up", "summary": "no", "question": None}, FixReport("gave_up", "no"), id="null for nothing"
        ),
        pytest.param(
            {"status": "question", "summary": "?", "question": "which tax?"},
            FixReport("question", "?", "which tax?"),
            id="a question",
        ),
    ],
)
def test_a_fix_report(arguments: object, report: FixReport) -> None:
    session, said, is_error = call(FIX, "finish_fix", arguments)
    assert (session.report, session.problem, said, is_error) == (report, "", "noted; the report is complete", False)


@pytest.mark.parametrize(
    ("session", "tool", "arguments", "why"),
    [
        pytest.param(
            REVIEW,
            "report_finding",
            {**FINDING, "line": "twelve", "severity": "critical", "effort": True},
            "severity: expected one of blocking, warning, suggestion, got 'critical'; "
            "line: expected an integer >= 0, got 'twelve'; effort: expected an integer from 1 to 5, got true",
            id="all wrong fields at once",
        ),
        pytest.param(
            REVIEW,
            "report_finding",
            {**FINDING, "title": "x" * 73, "files": 0},
            "title: expected text of 0 to 72 characters, got 73 characters; files: expected an integer >= 1, got 0",
            id="a title that is too long, and no file",
        ),
        pytest.param(
            REVIEW,
            "finish_review",
            {"verdict": "passed", "scor": 97, "summary": "x"},
            "'scor': unknown field, did you mean 'score'?; score: expected an integer from 0 to 100, got nothing",
            id="a misspelt field",
        ),
        pytest.param(
            FIX,
            "finish_fix",
            ["fixed"],
            "arguments: expected an object, got a list; status: expected one of fixed, gave_up, question, got nothing; "
            "summary: expected text of 1 to 4000 characters, got nothing",
            id="a list of arguments",
        ),
        pytest.param(
            FIX,
            "finish_fix",
            {"status": "question", "summary": "x"},
            "question: expected the question, for status question, got ''",
            id="a question without one",
        ),
        pytest.param(
            FIX,
            "finish_fix",
            {"status": "fixed", "summary": "x", "question": "or is it?"},
            "question: expected none, unless the status is question, got 'or is it?'",
            id="fixed, with a question",
        ),
        pytest.param(
            after(REVIEW, ("report_finding", FINDING)),
            "finish_review",
            PASSED,
            "verdict: expected needs_work, got passed, and 1 blocking finding(s) reported",
            id="passed with a blocking finding",
        ),
        pytest.param(
            after(REVIEW, ("report_finding", FINDING)),
            "finish_review",
            {**PASSED, "verdict": "ok"},
            "verdict: expected one of passed, needs_work, got 'ok'",
            id="no verdict is not a verdict that contradicts",
        ),
    ],
)
def test_a_wrong_call_is_refused_with_the_reason(
    session: ReportSession, tool: str, arguments: object, why: str
) -> None:
    refused, said, is_error = call(session, tool, arguments)
    assert (said, is_error) == (f"refused: {why}", True)
    assert (refused.report, refused.problem) == (None, f"{tool} was refused: {why}")
    assert refused.findings == session.findings


@pytest.mark.parametrize("tool", ["finish_fix", "report", "x" * 500])
def test_a_tool_of_another_role_is_not_there(tool: str) -> None:
    session, said, is_error = call(REVIEW, tool, {"status": "fixed", "summary": "x"})
    assert (session, is_error) == (REVIEW, True)
    assert said.startswith(f"no tool '{tool[:40]}")
    assert said.endswith("; the tools are report_finding, finish_review")


@pytest.mark.parametrize(
    ("session", "problem"),
    [
        pytest.param(REVIEW, "finish_review was never called", id="nothing reported"),
        pytest.param(FIX, "finish_fix was never called", id="no fix reported"),
        pytest.param(
            after(REVIEW, ("report_finding", {}), ("report_finding", WARNING)),
            "finish_review was never called",
            id="a finding put right",
        ),
        pytest.param(
            after(
                REVIEW, ("finish_review", {**PASSED, "score": -1}), ("report_finding", {}), ("report_finding", WARNING)
            ),
            "finish_review was refused: score: expected an integer from 0 to 100, got -1",
            id="a verdict never put right",
        ),
    ],
)
def test_the_desk_says_why_there_is_no_report(session: ReportSession, problem: str) -> None:
    assert (session.report, session.problem) == (None, problem)


def test_the_last_valid_finish_counts_and_a_wrong_one_destroys_nothing() -> None:
    session = after(
        REVIEW, ("finish_review", PASSED), ("finish_review", NEEDS_WORK), ("finish_review", {"verdict": "x"})
    )
    assert session.report == Review("needs_work", 40, "one bug")
    assert session.problem == ""


def test_a_blocking_finding_after_passed_takes_the_verdict_back_until_it_is_given_again() -> None:
    session = after(REVIEW, ("finish_review", PASSED), ("report_finding", WARNING))
    assert session.report is not None
    session, said, is_error = call(session, "report_finding", FINDING)
    why = "a blocking finding was reported after finish_review said passed"
    assert (session.report, session.problem, is_error) == (None, why, False)
    assert said == f"noted, but {why}: call finish_review again with the verdict needs_work"
    again = after(session, ("finish_review", NEEDS_WORK)).report
    assert isinstance(again, Review)
    assert (again.verdict, len(again.findings)) == ("needs_work", 2)


def test_the_same_finding_twice_is_one() -> None:
    session, said, _ = call(after(REVIEW, ("report_finding", FINDING)), "report_finding", FINDING)
    assert (len(session.findings), said) == (1, "noted, 1 so far; end with finish_review")


def test_findings_are_bounded() -> None:
    session = after(REVIEW, *(("report_finding", {**WARNING, "line": line}) for line in range(MAX_FINDINGS)))
    full, said, is_error = call(session, "report_finding", {**WARNING, "line": MAX_FINDINGS})
    assert (full.findings, is_error) == (session.findings, True)
    assert said == "refused: at most 500 findings are accepted: call finish_review"
    assert call(session, "report_finding", {**WARNING, "line": 3})[2] is False


def test_a_refusal_stays_short_whatever_was_sent() -> None:
    wrong = dict.fromkeys(FINDING, "y" * 50_000)
    strange = {f"{number}{'x' * 5_000}": "y" * 5_000 for number in range(5_000)}
    session, said, _ = call(REVIEW, "report_finding", {**wrong, **strange})
    assert len(said) < 3_000
    assert "4990 more unknown fields" in said
    assert len(session.problem) < 3_000


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
TOOLS = st.sampled_from(["report_finding", "finish_review", "finish_fix", "other"])
METHODS = st.sampled_from(["initialize", "ping", "tools/list", "tools/call", "notifications/x", ""])
FIELDS = {**FINDING, **NEEDS_WORK, "suggestion": "", "effort": 1, "status": "fixed", "question": ""}
ARGUMENTS = st.fixed_dictionaries({}, optional={name: st.just(value) | VALUES for name, value in FIELDS.items()})
PARAMS = st.fixed_dictionaries({}, optional={"name": TOOLS | VALUES, "arguments": ARGUMENTS | VALUES})
MESSAGES = VALUES | st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | VALUES,
        "id": st.integers() | VALUES,
        "method": METHODS | VALUES,
        "params": PARAMS | VALUES,
    },
)


@given(role=st.sampled_from(["review", "fix"]), messages=st.lists(MESSAGES, max_size=5))
def test_no_message_upsets_the_desk(role: Role, messages: list[object]) -> None:
    session = ReportSession(role)
    for message in messages:
        had = session.report
        session, reply = handle_message(session, message)
        assert reply is None or json.loads(json.dumps(reply, allow_nan=False)) == reply
        assert bool(session.problem) != bool(session.report)
        json.dumps(session.problem, ensure_ascii=False).encode()
        assert had is None or session.report is not None or session.is_contradicted
