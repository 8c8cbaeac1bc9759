from dataclasses import replace

import pytest

from reknit.core.hook.answer import MOST_BLOCKS, Answer, answer_of, still_running, too_slow, within_cap
from reknit.core.hook.mode import CheckResult
from tests.core.hook.test_mode import MODE, RED, checked

BUG = ("BUG-001", "tests/test_a.py")


def test_a_failed_test_is_answered_with_the_next_attempt_its_strategy_and_the_output() -> None:
    text = "RETRY: BUG-001 - Attempt 2 of 3\nStrategy: web_search\n\nSearch.\n\nTest output:\nE assert 1 == 2"
    assert answer_of(checked(MODE, RED), RED, "Search.") == Answer(block=True, text=text)


def test_a_refused_change_is_answered_with_the_rules_sentence() -> None:
    refused = CheckResult("refused", "refused [x]: no", "x: no")
    answer = answer_of(checked(MODE, refused), refused, "Search.")
    assert answer.block
    assert answer.text.endswith("\n\nYour change was refused:\nx: no")


@pytest.mark.parametrize(
    ("results", "text"),
    [
        ([RED, CheckResult("passed", "ok")], "SUCCESS: BUG-001 fixed on attempt 2"),
        (
            [CheckResult("passed", "ok", "No change.")],
            "SUCCESS: BUG-001 fixed on attempt 1\nNo change.",
        ),
        ([RED] * 3, "DEFERRED: BUG-001 after 3 attempts"),
    ],
)
def test_the_end_lets_the_window_stop(results: list[CheckResult], text: str) -> None:
    assert answer_of(checked(MODE, *results), results[-1], "") == Answer(block=False, text=text)


def test_what_could_not_be_checked_lets_the_window_stop_and_says_so() -> None:
    unseen = CheckResult("unseen", "PostgreSQL is not running")
    answer = answer_of(checked(MODE, unseen), unseen, "")
    assert not answer.block
    assert answer.text.startswith("NOT CHECKED: BUG-001 - tests/test_a.py could not be checked: PostgreSQL is not")
    assert answer.text.endswith("after a change: `reknit hook arm BUG-001 tests/test_a.py --steal`")


def test_a_test_that_still_runs_is_said_to_run() -> None:
    answer = still_running("BUG-001", "r-1", "12:04")
    assert answer.block
    assert "still running, started 12:04" in answer.text
    assert "`reknit watch r-1`" in answer.text


def test_before_the_agent_would_ignore_the_answer_it_is_let_go_with_the_command_that_goes_on() -> None:
    answer = Answer(block=True, text="RETRY")
    assert within_cap(answer, MOST_BLOCKS - 1, *BUG) == answer
    last = within_cap(answer, MOST_BLOCKS, *BUG)
    assert not last.block
    assert "`reknit fix tests tests/test_a.py --bug BUG-001 --dirty`" in last.text
    assert "It is not fixed." in last.text
    assert "`reknit fix tests 'a b.py' --bug" in within_cap(answer, MOST_BLOCKS, "BUG-001", "a b.py").text
    running = within_cap(answer, MOST_BLOCKS, *BUG, "r-1")
    assert (running.block, "`reknit watch r-1`" in running.text, "not fixed" in running.text) == (False, True, False)
    assert within_cap(replace(answer, block=False), 99, *BUG).text == "RETRY"


def test_a_check_that_could_not_be_started_in_time_says_so() -> None:
    assert too_slow(110.0).startswith("NOT CHECKED: the check could not be started within 110 s; no attempt was used,")
