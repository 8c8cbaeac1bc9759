from dataclasses import replace

import pytest

from reknit.core.hook.marker import (
    MAX_BLOCKS,
    HookAnswer,
    Marker,
    Notified,
    answer_still_running,
    format_marker,
    format_notified,
    format_too_slow,
    is_news,
    limit_blocks,
    parse_marker,
    parse_notified,
    to_answer,
)
from reknit.core.hook.mode import CheckResult
from tests.core.hook.test_mode import MODE, RED, checked

MARKER = Marker("in_progress", "BUG-001", "tests/ä b.py", "r-1", 2.5, HookAnswer(block=True, text="a\nb"), "r-0")


def test_the_first_line_is_the_status_and_everything_is_read_back() -> None:
    assert format_marker(MARKER).splitlines()[0] == "in_progress"
    assert parse_marker(format_marker(MARKER)) == MARKER
    bare = Marker("FIXED", "BUG-001", "t.py")
    assert parse_marker(format_marker(bare)) == bare
    assert format_marker(bare).splitlines()[0] == "FIXED"


def test_an_end_that_the_window_does_not_know_yet_is_asked_for() -> None:
    untold = Marker("FIXED", "BUG-001", "t.py", answer=HookAnswer(block=False, text="SUCCESS"), answered="r-1")
    assert format_marker(untold).splitlines()[0] == "in_progress"
    assert format_marker(replace(untold, is_delivered=True)).splitlines()[0] == "FIXED"
    assert parse_marker(format_marker(untold)) == untold


@pytest.mark.parametrize("text", ["", "FIXED", "FIXED\n", "FIXED\n{}", "FIXED\n[]", "FIXED\n{", 'FIXED\n{"answer": 1}'])
def test_a_damaged_marker_is_none(text: str) -> None:
    assert parse_marker(text) is None


@pytest.mark.parametrize("told", [Notified(), Notified("r-1", 0), Notified("r-1", 8)])
def test_what_was_told_is_read_back(told: Notified) -> None:
    assert parse_notified(format_notified(told)) == told


@pytest.mark.parametrize("text", ["", "x r-1", "-1 r-1", "99999999 r-1", "² r-1"])
def test_damaged_it_says_that_nothing_was_told(text: str) -> None:
    assert parse_notified(text) == Notified()


def test_a_result_is_news_until_it_was_told() -> None:
    assert is_news(MARKER, Notified())
    assert not is_news(MARKER, Notified("r-0"))
    assert not is_news(replace(MARKER, answer=None), Notified())
    assert not is_news(None, Notified())


BUG = ("BUG-001", "tests/test_a.py")


def test_a_failed_test_is_answered_with_the_next_attempt_its_strategy_and_the_output() -> None:
    text = "RETRY: BUG-001 - Attempt 2 of 3\nStrategy: web_search\n\nSearch.\n\nTest output:\nE assert 1 == 2"
    assert to_answer(checked(MODE, RED), RED, "Search.") == HookAnswer(block=True, text=text)


def test_a_refused_change_is_answered_with_the_rules_sentence() -> None:
    refused = CheckResult("refused", "refused [x]: no", "x: no")
    answer = to_answer(checked(MODE, refused), refused, "Search.")
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
    assert to_answer(checked(MODE, *results), results[-1], "") == HookAnswer(block=False, text=text)


def test_what_could_not_be_checked_lets_the_window_stop_and_says_so() -> None:
    unseen = CheckResult("unseen", "PostgreSQL is not running")
    answer = to_answer(checked(MODE, unseen), unseen, "")
    assert not answer.block
    assert answer.text.startswith("NOT CHECKED: BUG-001 - tests/test_a.py could not be checked: PostgreSQL is not")
    assert answer.text.endswith("after a change: `reknit hook arm BUG-001 tests/test_a.py --steal`")


def test_a_test_that_still_runs_is_said_to_run() -> None:
    answer = answer_still_running("BUG-001", "r-1", "12:04")
    assert answer.block
    assert "still running, started 12:04" in answer.text
    assert "`reknit watch r-1`" in answer.text


def test_before_the_agent_would_ignore_the_answer_it_is_let_go_with_the_command_that_goes_on() -> None:
    answer = HookAnswer(block=True, text="RETRY")
    assert limit_blocks(answer, MAX_BLOCKS - 1, *BUG) == answer
    last = limit_blocks(answer, MAX_BLOCKS, *BUG)
    assert not last.block
    assert "`reknit fix tests tests/test_a.py --bug BUG-001 --dirty`" in last.text
    assert "It is not fixed." in last.text
    assert "`reknit fix tests 'a b.py' --bug" in limit_blocks(answer, MAX_BLOCKS, "BUG-001", "a b.py").text
    running = limit_blocks(answer, MAX_BLOCKS, *BUG, "r-1")
    assert (running.block, "`reknit watch r-1`" in running.text, "not fixed" in running.text) == (False, True, False)
    assert limit_blocks(replace(answer, block=False), 99, *BUG).text == "RETRY"


def test_a_check_that_could_not_be_started_in_time_says_so() -> None:
    assert format_too_slow(110.0).startswith(
        "NOT CHECKED: the check could not be started within 110 s; no attempt was used,"
    )


@pytest.mark.parametrize(
    ("marker", "has_counted"),
    [
        pytest.param(Marker("FIXED", "B", "t", answer=HookAnswer(block=False)), True, id="fixed"),
        pytest.param(Marker("DEFERRED", "B", "t", answer=HookAnswer(block=False)), True, id="deferred"),
        pytest.param(Marker("in_progress", "B", "t", answer=HookAnswer(block=True)), True, id="sent-back"),
        pytest.param(Marker("in_progress", "B", "t", answer=HookAnswer(block=False)), False, id="not-checked"),
        pytest.param(Marker("in_progress", "B", "t", "r-1", answer=HookAnswer(block=True)), False, id="a-check-runs"),
        pytest.param(Marker("in_progress", "B", "t"), False, id="no-result-yet"),
    ],
)
def test_a_result_that_used_an_attempt(marker: Marker, *, has_counted: bool) -> None:
    assert marker.has_counted is has_counted
