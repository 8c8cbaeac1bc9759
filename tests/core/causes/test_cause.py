"""Causes: the code's, the environment's, or in doubt."""

from reknit.core.causes.cause import (
    CODE,
    Cause,
    doubtful,
    environment,
    leave_out_suite,
    list_left_out,
    render_doubts,
    render_left_out,
)


def test_a_cause_says_what_is_missing_and_what_helps() -> None:
    assert environment("port", "in use", "free it") == Cause("environment", "port", "in use", "free it")
    assert doubtful("timeout", "too long") == Cause("doubtful", "timeout", "too long", "")
    assert (CODE.verdict, CODE.kind) == ("code", "")


NO_MODULE = environment("missing-module", "`requests` is not installed", "`pip install requests`")
NO_NETWORK = environment("network", "no network in the box", "")


def test_tests_with_the_same_reason_are_one_entry() -> None:
    causes = {"a": NO_MODULE, "b": CODE, "c": NO_NETWORK, "d": NO_MODULE, "e": doubtful("port", "in use")}
    assert list_left_out(causes) == (
        (("a", "d"), "`requests` is not installed", "`pip install requests`"),
        (("c",), "no network in the box", ""),
    )


def test_a_suite_without_a_result_has_no_tests_to_name() -> None:
    assert leave_out_suite(CODE) == ()
    assert leave_out_suite(NO_NETWORK) == (((), "no network in the box", ""),)


def test_each_reason_is_told_with_what_helps() -> None:
    text = render_left_out(list_left_out({"a": NO_MODULE, "c": NO_NETWORK, "d": NO_MODULE}))
    assert text == (
        "2 tests, not the code's fault (a, d): `requests` is not installed; `pip install requests`; "
        "1 test, not the code's fault (c): no network in the box"
    )
    assert render_left_out(leave_out_suite(NO_MODULE)) == "`requests` is not installed; `pip install requests`"


def test_many_reasons_and_many_tests_are_counted() -> None:
    text = render_left_out([(("a", "b", "c", "d"), f"reason {number}", "") for number in range(7)])
    assert text.startswith("4 tests, not the code's fault (a, b, c …): reason 0; ")
    assert text.endswith("reason 4 and 2 more")


def test_a_doubt_is_told_as_long_as_one_of_its_tests_is_red() -> None:
    doubts = list_left_out({"a": doubtful("port", "port 80 is low", "use another"), "b": NO_MODULE}, "doubtful")
    assert doubts == ((("a",), "port 80 is low", "use another"),)
    assert render_doubts(doubts, ["a", "b"]).endswith("the environment may be at fault: port 80 is low; use another")
    assert render_doubts(doubts, ["b"]) == ""
