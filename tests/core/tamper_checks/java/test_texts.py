"""Tests of reknit.core.tamper_checks.java.texts."""

import pytest

from reknit.core.tamper_checks.java.texts import CALL, CANARIES, DRIVER, FAILURE, PLAIN_CHECK, assertions, filled
from reknit.core.tamper_checks.syntax import is_whole, parse


def test_every_place_of_a_name_is_filled() -> None:
    assert filled("§a§ {} §b§ §a§", a="x", b="y") == "x {} y x"


@pytest.mark.parametrize(
    "text",
    [
        filled(FAILURE, package=""),
        f"class X {{ {filled(CANARIES, annotation='@Test')}{PLAIN_CHECK} }}",
        f"class X {{ {filled(DRIVER, first='', calls=filled(CALL, before='', after=''))} }}",
        filled(assertions(is_junit_4=True), package="package a;"),
        filled(assertions(is_junit_4=False), package="package a;"),
    ],
)
def test_the_programs_are_java(text: str) -> None:
    assert is_whole(parse(text.replace("§", "x"), "java"))


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
    assert f"public static void {head} {{" in assertions(is_junit_4=is_junit_4)


def test_a_mismatch_is_told_as_junit_tells_it() -> None:
    assert '"expected:<" + expected + "> but was:<" + actual' in assertions(is_junit_4=True)
    assert '"expected: <" + expected + "> but was: <" + actual' in assertions(is_junit_4=False)
