"""The assertions of the second harness for Java."""

import pytest

from reknit.core.languages.java.tamper_checks.assertions import render_assertions
from reknit.core.syntax import parse_tree
from reknit.core.tamper_checks.syntax import is_fully_parsed


@pytest.mark.parametrize(
    ("is_junit_4", "head"),
    [
        (True, "assertEquals(String message, long expected, long actual)"),
        (False, "assertEquals(int expected, Integer actual, String message)"),
        (True, "assertTrue(boolean actual)"),
        (False, "assertArrayEquals(int[] expected, int[] actual)"),
    ],
)
def test_the_assertions_are_those_of_the_version(is_junit_4: bool, head: str) -> None:
    text = render_assertions(is_junit_4=is_junit_4)
    assert f"public static void {head} {{" in text
    assert "MESSAGE" not in text and is_fully_parsed(parse_tree(text, "java"))


@pytest.mark.parametrize(("is_junit_4", "space"), [(True, "true ? "), (False, "false ? ")])
def test_messages_are_those_of_the_version(is_junit_4: bool, space: str) -> None:
    text = render_assertions(is_junit_4=is_junit_4)
    assert f'String space = {space}"" : " ";' in text
    assert "IS_JUNIT_4" not in text
