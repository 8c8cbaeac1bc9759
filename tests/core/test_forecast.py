from dataclasses import replace

from reknit.core.agent_call import AgentSettings
from reknit.core.forecast import batch_line, calls, forecast_document, forecast_lines
from reknit.core.issue import Issue
from reknit.core.limits import Limits
from reknit.core.run import Batch, IssuesTarget

BATCHES = (Batch(1, "backend", (1, 2, 3), 9), Batch(2, "frontend", (4,), 3))
TARGET = IssuesTarget("shop", BATCHES, AgentSettings("gemini", "gemini"))
LIMITS = Limits()


def issue(number: int, path: str) -> Issue:
    return Issue(number, "shop", "f" * 32, "OPEN", path, 1, 1, "F401", "unused", "important", (), "new")


def test_calls_are_counted_for_the_best_and_the_worst_case() -> None:
    assert calls(TARGET, LIMITS) == (3, 2 * 3 + 3 * 2 + 2 * 3)
    assert calls(replace(TARGET, challenger=None), LIMITS) == (2, 6)


def test_a_batch_is_one_line() -> None:
    issues = [issue(1, "a.py"), issue(2, "b.py"), issue(3, "c.py"), issue(4, "d.ts")]
    assert batch_line(BATCHES[0], issues) == "  B-1    backend     9 points  3 issues  a.py, b.py and 1 more"
    assert batch_line(BATCHES[1], issues) == "  B-2    frontend    3 points  1 issue   d.ts"


def test_the_forecast_names_the_cap_and_what_waits() -> None:
    lines = forecast_lines(TARGET, LIMITS, others=4, call_usd=0.1, passed_over={"in tests": 2})
    assert lines == [
        "  calls     3 if all goes well, at most 18",
        "  cost      about $0.30 by the calls seen here; at most $5.00",
        "  others    4 open issue(s) are not in this run",
        "  left out  2 in tests",
    ]
    alone = forecast_lines(TARGET, LIMITS, others=0, call_usd=None, passed_over={})
    assert alone[1:] == ["  cost      no history here yet; at most $5.00"]


def test_the_document_has_the_same_facts() -> None:
    document = forecast_document(TARGET, LIMITS, others=0, call_usd=None, passed_over={"in tests": 2})
    assert document["forecast_usd"] is None
    assert document["batches"] == [
        {"batch": 1, "kind": "backend", "points": 9, "issues": ["I-1", "I-2", "I-3"]},
        {"batch": 2, "kind": "frontend", "points": 3, "issues": ["I-4"]},
    ]
    priced = forecast_document(replace(TARGET, challenger=None), LIMITS, others=0, call_usd=0.25, passed_over={})
    assert (priced["forecast_usd"], priced["challenger"]) == (0.5, None)
