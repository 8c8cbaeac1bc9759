import json
from dataclasses import replace

import pytest

from reknit.core.hook.mode import Armed, CheckResult, CheckVerdict, FixMode, parse_mode, start_bug, to_mode_document

MODE = FixMode("m-1", "/shop", "a" * 40, start_bug("BUG-001", "tests/test_a.py", 3), 1.0, "window", "r-1")
RED = CheckResult("failed", "it failed", "E assert 1 == 2")


def checked(mode: FixMode, *results: CheckResult) -> FixMode:
    for number, result in enumerate(results, 1):
        mode = replace(mode, check=f"r-{number}").settle(f"r-{number}", result)
    return mode


def test_a_bug_begins_with_its_first_attempt() -> None:
    assert (MODE.bug.attempt, MODE.bug.strategy, MODE.bug.status, MODE.is_open) == (1, "local", "in_progress", True)


@pytest.mark.parametrize(
    ("results", "attempt", "strategy", "status"),
    [
        ([RED], 2, "web_search", "in_progress"),
        ([RED, RED], 3, "deep_investigation", "in_progress"),
        ([RED, RED, RED], 3, "deep_investigation", "DEFERRED"),
        ([replace(RED, verdict="refused")] * 3, 3, "deep_investigation", "DEFERRED"),
        ([RED, CheckResult("passed", "ok")], 2, "web_search", "FIXED"),
        ([CheckResult("unseen", "no database")] * 5, 1, "local", "in_progress"),
    ],
)
def test_each_result_leads_to_the_next_attempt_or_to_the_end(
    results: list[CheckResult], attempt: int, strategy: str, status: str
) -> None:
    bug = checked(MODE, *results).bug
    assert (bug.attempt, bug.strategy, bug.status) == (attempt, strategy, status)


def test_what_could_not_be_checked_is_told_but_is_no_attempt() -> None:
    bug = checked(MODE, CheckResult("unseen", "no database")).bug
    assert (bug.last_error, bug.history) == ("no database", ())


@pytest.mark.parametrize(
    ("verdict", "is_failure"), [("passed", False), ("failed", True), ("refused", True), ("unseen", False)]
)
def test_a_failure_is_of_the_test_or_of_the_gate(verdict: CheckVerdict, *, is_failure: bool) -> None:
    assert CheckResult(verdict, "so").is_failure is is_failure


def test_the_history_has_each_attempt_once() -> None:
    bug = checked(MODE, RED, CheckResult("passed", "1 test passed")).bug
    assert [(each.attempt, each.strategy, each.result) for each in bug.history] == [
        (1, "local", "it failed"),
        (2, "web_search", "1 test passed"),
    ]
    assert bug.last_error == ""


def test_a_result_counts_once_and_only_for_the_check_that_was_asked_for() -> None:
    once = MODE.settle("r-1", RED)
    assert once.settle("r-1", RED) == once
    assert MODE.settle("r-2", RED) == MODE


def test_a_check_that_ends_after_the_bug_was_given_up_changes_nothing_but_that_it_ended() -> None:
    left = replace(MODE, bug=replace(MODE.bug, status="DEFERRED"))
    assert left.settle("r-1", RED) == replace(left, check="")


def test_it_is_stored_as_a_document_and_read_back() -> None:
    mode = checked(MODE, RED, RED)
    assert parse_mode(json.loads(json.dumps(to_mode_document(mode)))) == mode


def test_the_first_window_that_claims_a_bug_keeps_it() -> None:
    free = replace(MODE, owner="")
    assert free.claim("w1").owner == "w1"
    assert free.claim("w1").claim("w2").owner == "w1"


@pytest.mark.parametrize(
    ("bug", "window", "is_anothers", "is_replaced"),
    [
        ("BUG-001", "window", False, True),
        ("BUG-001", "other", True, True),
        ("BUG-001", "", True, True),
        ("BUG-002", "window", False, True),
        ("BUG-002", "other", False, False),
    ],
)
def test_a_bug_has_one_window_and_a_window_one_bug(
    bug: str, window: str, *, is_anothers: bool, is_replaced: bool
) -> None:
    assert MODE.is_of_another_window(bug, window) is is_anothers
    assert MODE.is_replaced_by(bug, window) is is_replaced
    assert not replace(MODE, owner="").is_of_another_window(bug, window)


def test_a_bug_that_a_person_ended_is_deferred() -> None:
    assert (MODE.give_up().bug.status, MODE.give_up().bug.last_error) == ("DEFERRED", "ended by a person")


@pytest.mark.parametrize("last", [CheckResult("passed", "1 test passed"), RED, replace(RED, verdict="refused")])
def test_a_result_of_another_tree_does_not_count(last: CheckResult) -> None:
    for before in (MODE, checked(MODE, RED), checked(MODE, RED, RED)):
        again = checked(before, last).retract()
        assert again.bug == replace(before.bug, last_error="")
    assert MODE.retract() == MODE
    ended = checked(MODE, RED).give_up()
    assert ended.retract() == ended


@pytest.mark.parametrize(
    ("output", "error"),
    [
        ("def test_a():\n>   assert 1 == 2\nE   assert 1 == 2\nE    +  where", "assert 1 == 2"),
        ("\n  TypeError: x is not a function\n    at a.js:1", "TypeError: x is not a function"),
        ("", "it failed"),
        ("x" * 900, "x" * 300),
    ],
)
def test_the_last_error_is_what_the_test_says(output: str, error: str) -> None:
    assert checked(MODE, replace(RED, output=output)).bug.last_error == error
    refused = CheckResult("refused", "refused [protected-test]: no", output)
    assert checked(MODE, refused).bug.last_error == refused.sentence


def test_a_person_ends_what_is_not_settled_yet() -> None:
    ended = MODE.give_up()
    assert (ended.bug.status, ended.bug.last_error, ended.is_given_up) == ("DEFERRED", "ended by a person", True)
    for settled in (checked(MODE, CheckResult("passed", "ok")), checked(MODE, RED, RED, RED)):
        assert (settled.give_up(), settled.is_given_up) == (settled, False)


@pytest.mark.parametrize(
    ("bug", "window", "before", "told"),
    [
        pytest.param("BUG-001", "w1", "w1", "BUG-001 was armed already: its attempts start again.", id="again"),
        pytest.param("BUG-001", "w1", "", "BUG-001 was armed already: its attempts start again.", id="claimed"),
        pytest.param("BUG-001", "", "", "BUG-001 was armed already: its attempts start again.", id="again in a shell"),
        pytest.param(
            "BUG-001",
            "w1",
            "w2",
            "BUG-001 is no longer checked in window w2: its attempts start again.",
            id="taken over",
        ),
        pytest.param("BUG-002", "w1", "w1", "BUG-001 is no longer checked in this window.", id="another bug"),
        pytest.param("BUG-002", "", "", "BUG-001 is no longer checked: no window had claimed it.", id="in a shell"),
    ],
)
def test_a_person_is_told_what_is_no_longer_checked(bug: str, window: str, before: str, told: str) -> None:
    armed = Armed(replace(MODE, bug=start_bug(bug, "t.py", 3), owner=window), (replace(MODE, owner=before),))
    assert (armed.sentence, armed.ended_sentences) == (f"{bug} is armed: t.py, at most 3 attempts", (told,))
    assert Armed(MODE).ended_sentences == ()
