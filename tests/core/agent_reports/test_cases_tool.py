from typing import Any

import pytest

from reknit.core.agent_reports.cases_tool import MOST_CASES
from reknit.core.agent_reports.document import document, sentence
from reknit.core.agent_reports.session import ReportSession, handle_message
from reknit.core.agent_reports.values import CaseProposal, HeldOutCase

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
    assert (said, sentence(session)) == ("noted; the report is complete", "holdout: 1 case(s)")
    assert document(session)["report"] == {"cases": [CASE]}


def test_no_case_is_an_answer_too() -> None:
    session, _ = answer({"cases": []})
    assert (session.report, session.problem) == (CaseProposal(()), "")


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        (None, "cases: expected a list of 0 to 5"),
        ([CASE] * (MOST_CASES + 1), "got a list of 6"),
        ([{**CASE, "path": "../test_b.py"}], "path: expected a path relative to the top of the repository"),
        ([{**CASE, "text": ""}], "text: expected text of 1 to 8000 characters"),
        ([{**CASE, "language": "python"}], "'language': unknown field"),
    ],
)
def test_what_is_refused(cases: object, said: str) -> None:
    session, words = answer({"cases": cases})
    assert said in words and session.report is None
