from dataclasses import replace

from reknit.core.attempt_text import describe_attempt, is_iteration, list_refusals
from tests.core.test_run_text import ATTEMPT, REFUSED


def test_the_gates_word_stands_before_the_tests() -> None:
    refused = replace(ATTEMPT, gate=REFUSED.gate)
    assert describe_attempt(refused) == "refused [test-removed]: it removed t::one"
    assert [refusal["rule"] for refusal in list_refusals(refused)] == ["test-removed"]


def test_iterations_are_told_apart_from_findings() -> None:
    assert [name for name in ("i1", "i12", "i", "T-1", "id") if is_iteration(name)] == ["i1", "i12"]
