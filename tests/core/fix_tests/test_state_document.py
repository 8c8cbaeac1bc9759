from dataclasses import replace

import pytest

from reknit.core.capability import StoredRun
from reknit.core.fix_tests.state_document import state_document
from tests.core.test_run_text import ATTEMPT, LIVE, REFUSED, RUN

ASKED = {"bug": "BUG-001", "named": ["tests/test_a.py"], "limits": {"attempts": 2}}
SECOND = replace(ATTEMPT, number=2, strategy="search")
THIRD = replace(ATTEMPT, number=3, strategy="deep", ended_at=None, proof=None, outcome=None)


def test_a_run_that_works_shows_the_attempt_under_way_and_what_the_last_one_ended_with() -> None:
    assert state_document(StoredRun(replace(LIVE, spec=ASKED), [REFUSED, replace(SECOND, ended_at=None)])) == {
        "bug_id": "BUG-001",
        "test_path": "tests/test_a.py",
        "attempt": 2,
        "max_attempts": 2,
        "status": "in_progress",
        "strategy": "web_search",
        "last_error": "refused [test-removed]: it removed t::one",
        "history": [{"attempt": 1, "strategy": "local", "result": "refused [test-removed]: it removed t::one"}],
    }


def test_a_run_that_has_not_begun_is_in_progress_with_the_first_strategy() -> None:
    state = state_document(StoredRun(replace(LIVE, spec={})))
    assert (state["bug_id"], state["test_path"], state["max_attempts"]) == ("r-1", "", 3)
    assert (state["attempt"], state["strategy"], state["last_error"], state["history"]) == (0, "local", "", [])


def test_a_third_attempt_under_way_is_not_in_the_history() -> None:
    state = state_document(StoredRun(replace(LIVE, spec=ASKED), [ATTEMPT, SECOND, THIRD]))
    assert (state["attempt"], state["strategy"], len(state["history"])) == (3, "deep_investigation", 2)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ending", "status", "error"),
    [
        ("FIXED", "FIXED", ""),
        ("CLEAN", "FIXED", ""),
        ("DEFERRED", "DEFERRED", "why"),
        ("BLOCKED", "DEFERRED", "why"),
        ("UNVERIFIED", "DEFERRED", "why"),
        ("FAILED", "DEFERRED", "why"),
    ],
)
def test_only_a_test_that_was_seen_to_pass_is_fixed(ending: str, status: str, error: str) -> None:
    state = state_document(StoredRun(replace(RUN, ending=ending, reason="why", spec=ASKED), [ATTEMPT]))
    assert (state["status"], state["last_error"]) == (status, error)
