"""Handles the MCP session in which an agent reports: it takes messages and returns a validated value."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from reknit import __version__
from reknit.core.agent_reports import tools
from reknit.core.agent_reports.fields import FieldReader, show_value
from reknit.core.agent_reports.tools import read_proposal
from reknit.core.agent_reports.values import (
    CaseProposal,
    FixReport,
    RefusedAnswer,
    Report,
    ReportedFinding,
    Review,
    Role,
)
from reknit.core.text.redact import clean, redact
from reknit.core.text.truncate import truncate_chars

PATH = "/reknit/mcp"
SERVER = "reknit"
PROTOCOLS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MAX_FINDINGS = 500
ANSWERS = 2
"""Maximum number of answers to a request for a plan. After the first refused one, the agent gets the exact error."""
_RAW_CHARACTERS = 8_000
_INVALID_REQUEST, _NO_METHOD, _INVALID_PARAMS = -32600, -32601, -32602

Reply = dict[str, object]


@dataclass(frozen=True)
class InvalidCall:
    """A call of a tool that was refused."""

    tool: str
    why: str


@dataclass(frozen=True)
class ReportSession:
    """The calls of one agent so far."""

    role: Role
    findings: tuple[ReportedFinding, ...] = ()
    closing: Report | None = None
    """The report of the last valid finish call; the findings of a review are in `findings`."""
    refusals: tuple[InvalidCall, ...] = ()
    """The last invalid call of each tool without a valid call since then, oldest first."""
    remaining_answers: int = ANSWERS
    """Role `plan`: number of further answers that are read. The first valid one counts."""
    refused_answers: tuple[RefusedAnswer, ...] = ()
    """Role `plan`: answers that were not valid."""

    @property
    def report(self) -> Report | None:
        if not isinstance(self.closing, Review):
            return self.closing
        return None if self.is_contradicted else replace(self.closing, findings=self.findings)

    @property
    def problem(self) -> str:
        """Return why there is no report; empty when there is one."""
        if self.report:
            return ""
        if self.is_contradicted:
            return "a blocking finding was reported after finish_review said passed"
        if self.refusals:
            return f"{self.refusals[-1].tool} was refused: {self.refusals[-1].why}"
        return f"{tools.FINISH[self.role].name} was never called"

    @property
    def is_contradicted(self) -> bool:
        return isinstance(self.closing, Review) and self.closing.verdict == "passed" and self.blocking > 0

    @property
    def blocking(self) -> int:
        return sum(finding.severity == "blocking" for finding in self.findings)


def handle_message(session: ReportSession, message: object) -> tuple[ReportSession, Reply | None]:
    """Return the session after a JSON-RPC message, and the reply; None: the message needs none."""
    if not isinstance(message, dict):
        return session, _to_error(None, _INVALID_REQUEST, f"expected one JSON-RPC message, got {show_value(message)}")
    number, method = message.get("id"), message.get("method")
    if "id" in message and (isinstance(number, bool) or not isinstance(number, str | int)):
        return session, _to_error(None, _INVALID_REQUEST, f"id: expected text or an integer, got {show_value(number)}")
    if message.get("jsonrpc") != "2.0":
        return session, _to_error(
            number, _INVALID_REQUEST, f"jsonrpc: expected '2.0', got {show_value(message.get('jsonrpc'))}"
        )
    if "method" not in message and ("result" in message or "error" in message):
        return session, None  # a response, although nothing was requested
    if not isinstance(method, str):
        return session, _to_error(number, _INVALID_REQUEST, f"method: expected text, got {show_value(method)}")
    if number is None:
        return session, None  # a notification
    return _handle_request(session, number, method, message.get("params"))


def _handle_request(
    session: ReportSession, number: str | int, method: str, params: object
) -> tuple[ReportSession, Reply]:
    parameters = params if isinstance(params, dict) else {}
    if method == "initialize":
        return session, _to_result(number, _greet(session.role, parameters.get("protocolVersion")))
    if method == "ping":
        return session, _to_result(number, {})
    if method == "tools/list":
        return session, _to_result(number, {"tools": [tool.to_document() for tool in tools.TOOLS[session.role]]})
    if method != "tools/call":
        return session, _to_error(number, _NO_METHOD, f"no method {show_value(method)}")
    name = parameters.get("name")
    if not isinstance(name, str):
        return session, _to_error(number, _INVALID_PARAMS, f"name: expected the name of a tool, got {show_value(name)}")
    after, text, is_error = _call_tool(session, name, parameters.get("arguments"))
    return after, _to_result(number, {"content": [{"type": "text", "text": text}], "isError": is_error})


def _greet(role: Role, version: object) -> Reply:
    return {
        "protocolVersion": version if version in PROTOCOLS else PROTOCOLS[-1],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": SERVER, "version": __version__},
        "instructions": tools.INSTRUCTIONS[role],
    }


def _call_tool(session: ReportSession, name: str, arguments: object) -> tuple[ReportSession, str, bool]:
    tools_by_name = {tool.name: tool for tool in tools.TOOLS[session.role]}
    if name not in tools_by_name:
        return session, f"no tool {show_value(name)}; the tools are {', '.join(tools_by_name)}", True
    if session.role == "plan" and (closed := _explain_no_answer(session)):
        return session, closed, True
    reading = FieldReader({} if arguments is None else arguments, tools_by_name[name].fields)
    after = _HANDLERS[name](session, reading)
    others = tuple(refusal for refusal in session.refusals if refusal.tool != name)
    if reading.problems:
        why = "; ".join(reading.problems)
        refused = replace(_count_answer(session, arguments, why), refusals=(*others, InvalidCall(name, why)))
        return refused, f"refused: {why}", True
    after = replace(after, refusals=others)
    return after, _confirm(after), False


def _explain_no_answer(session: ReportSession) -> str:
    if session.closing:
        return "the plan was taken already; nothing more is read"
    return "" if session.remaining_answers else "refused: no further answer is read; stop here"


def _count_answer(session: ReportSession, arguments: object, why: str) -> ReportSession:
    if session.role != "plan":
        return session
    answer = RefusedAnswer(clean_raw_text(json.dumps(arguments, ensure_ascii=False, indent=2)), why)
    return replace(
        session, remaining_answers=session.remaining_answers - 1, refused_answers=(*session.refused_answers, answer)
    )


def clean_raw_text(text: str) -> str:
    """Return an agent's answer for people, redacted and truncated."""
    return truncate_chars(redact(clean(text[: 2 * _RAW_CHARACTERS])), _RAW_CHARACTERS)


def _confirm(session: ReportSession) -> str:
    finish = tools.FINISH[session.role].name
    if session.is_contradicted:
        return f"noted, but {session.problem}: call {finish} again with the verdict needs_work"
    if session.closing:
        return "noted; the report is complete"
    return f"noted, {len(session.findings)} so far; end with {finish}"


def _add_finding(session: ReportSession, reading: FieldReader) -> ReportSession:
    finding = ReportedFinding(
        category=reading.take(tools.CATEGORY),
        severity=reading.take(tools.SEVERITY),
        file=reading.take(tools.FILE),
        line=reading.take(tools.LINE),
        issue=reading.take(tools.ISSUE),
        suggestion=reading.take(tools.SUGGESTION),
        effort_1_5=reading.take(tools.EFFORT),
        title=reading.take(tools.TITLE),
        files=reading.take(tools.FILES),
    )
    if finding in session.findings:
        return session  # a client that got no response retries
    if len(session.findings) >= MAX_FINDINGS:
        reading.add_problem(f"at most {MAX_FINDINGS} findings are accepted: call {tools.FINISH_REVIEW.name}")
    return replace(session, findings=(*session.findings, finding))


def _close_review(session: ReportSession, reading: FieldReader) -> ReportSession:
    review = Review(
        verdict=reading.take(tools.VERDICT),
        score_0_100=reading.take(tools.SCORE),
        summary=reading.take(tools.SUMMARY),
    )
    after = replace(session, closing=review)
    if after.is_contradicted and not reading.problems:
        reading.add_problem(
            f"verdict: expected needs_work, got passed, and {session.blocking} blocking finding(s) reported"
        )
    return after


def _close_fix(session: ReportSession, reading: FieldReader) -> ReportSession:
    fix = FixReport(
        status=reading.take(tools.STATUS),
        summary=reading.take(tools.SUMMARY),
        question=reading.take(tools.QUESTION),
        title=reading.take(tools.CHANGE_TITLE),
    )
    if not reading.problems and (fix.status == "question") != bool(fix.question):
        expected = "the question, for status question" if not fix.question else "none, unless the status is question"
        reading.add_problem(f"question: expected {expected}, got {show_value(fix.question)}")
    return replace(session, closing=fix)


_HANDLERS: Mapping[str, Callable[[ReportSession, FieldReader], ReportSession]] = {
    tools.REPORT_FINDING.name: _add_finding,
    tools.FINISH_REVIEW.name: _close_review,
    tools.FINISH_FIX.name: _close_fix,
    tools.PROPOSE_PLAN.name: lambda session, reading: replace(session, closing=read_proposal(reading)),
    tools.PROPOSE_CASES.name: lambda session, reading: replace(
        session, closing=CaseProposal(reading.take(tools.CASES))
    ),
}


def _to_result(number: str | int, result: Reply) -> Reply:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def _to_error(number: str | int | None, code: int, message: str) -> Reply:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}
