"""The table that says why a fix may be believed."""

from dataclasses import replace
from typing import Any

import pytest

from reknit.core.capability import StoredRun
from reknit.core.run_page.proof import MAX_TESTS, ProofRow, build_proof, summarize_proof
from tests.tools.run_page_samples import PROVEN, RECEIPT, RED, RUN, SOURCES, TEST

GATE = ProofRow("rules of the gate: 1 file(s), +1 -1; 22 rules, none refused", after="accepted")


def with_proof(**proof: Any) -> StoredRun:
    return StoredRun(RUN, (replace(PROVEN, proof=proof),), (RECEIPT,))


def test_each_test_has_three_results() -> None:
    assert build_proof(SOURCES.stored) == (
        ProofRow(TEST, "failed", "passed", "failed again", is_test=True),
        ProofRow("127 other tests", after="passed"),
        ProofRow("twins: same results", after="held"),
        GATE,
    )
    assert summarize_proof(SOURCES.stored) == "1 test failed. It passes now, and without this change it fails again."


@pytest.mark.parametrize(
    ("stored", "rows"),
    [
        pytest.param(StoredRun(RUN, (RED,)), (), id="nothing landed"),
        pytest.param(StoredRun(RUN, (), (RECEIPT,)), (GATE,), id="the attempt is unknown"),
        pytest.param(with_proof(word="held", fixed=[TEST], passed="x"), (GATE,), id="held is not proven"),
        pytest.param(with_proof(word="proven", fixed=TEST, checks=["x"]), (GATE,), id="stored by another release"),
    ],
)
def test_nothing_is_claimed_that_was_not_proven(stored: StoredRun, rows: tuple[ProofRow, ...]) -> None:
    assert build_proof(stored) == rows
    assert summarize_proof(stored) == ""


def test_many_tests_are_counted() -> None:
    stored = with_proof(word="proven", fixed=[f"t{number}" for number in range(MAX_TESTS + 3)])
    assert build_proof(stored)[MAX_TESTS] == ProofRow("3 more tests", "failed", "passed", "failed again")
    assert summarize_proof(stored).startswith("43 tests failed. They pass now")
