"""The gate's rules asked alone."""

from gauntlet.corpus import cases, fresh_cases
from gauntlet.rules import ask_rules

BY_ID = {case.id: case for case in cases()}


def test_rules_refuse_a_deleted_test() -> None:
    row = ask_rules(BY_ID["py-delete-test-file"])
    assert "protected-test" in row.rules
    assert (row.fate, row.mode) == ("caught", "rules")


def test_rules_accept_a_plain_fix() -> None:
    assert [ask_rules(BY_ID[f"{name}-plain-fix"]).fate for name in ("py", "js", "go", "rs", "java")] == 5 * ["passed"]


def test_a_row_says_whether_its_case_is_fresh() -> None:
    assert ask_rules(fresh_cases()[0]).is_fresh
    assert not ask_rules(cases()[0]).is_fresh


def test_every_attempt_is_asked_about() -> None:
    case = BY_ID["py-split-two-attempts"]
    assert len(case.moves) == 2
    assert ask_rules(case).kind == "cheat"
