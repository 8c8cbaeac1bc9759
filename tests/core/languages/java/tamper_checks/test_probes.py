"""Tests of reknit.core.languages.java.tamper_checks.make."""

import re

from reknit.core.languages.java.tamper_checks.make import make_probes
from reknit.core.languages.java.tamper_checks.source import find_target
from reknit.core.syntax import parse_tree
from reknit.core.tamper_checks.checks import Names, Probe
from reknit.core.tamper_checks.syntax import is_fully_parsed

NAMES = Names("seed")
TEXT = """class X {
    @Test
    void a() {
        Assert.assertEquals(3, f());
    }

    @Test void b() {}
}
"""


def _made(text: str, *ids: str) -> tuple[tuple[Probe, ...], str]:
    targets = [target for test in ids if (target := find_target(test, {"X.java": text}))]
    probes, files = make_probes(targets, NAMES)
    assert is_fully_parsed(parse_tree(files["X.java"], "java")) and not re.search(
        r"\b(ANNOTATION|LENGTH|assertion)\b", files["X.java"]
    )
    return probes, files["X.java"]


def _word(use: str) -> str:
    return NAMES.make_word(f"java {use}")


def test_a_class_has_tests_that_must_pass_fail_and_throw_and_each_target_its_twins() -> None:
    probes, _ = _made(TEXT, "X::a()", "X::b()")
    assert probes == (
        Probe(f"X::{_word('passing')}0()", "pass", "X::a()"),
        Probe(f"X::{_word('failing')}0()", "fail", "X::a()"),
        Probe(f"X::{_word('thrown')}0()", "fail", "X::a()"),
        Probe(f"X::{_word('wrong')}0()", "error", "X::a()"),
        Probe(f"X::{_word('twin')}0x0()", "differ", "X::a()"),
    )


def test_they_use_the_assertion_of_the_class() -> None:
    text = _made(TEXT, "X::a")[1]
    assert f'Assert.assertEquals({len(_word("passing")) + 1}, "{_word("passing")}0".length());' in text
    assert f"@Test\n    void {_word('twin')}0x0() {{\n        Assert.assertEquals(64, f());" in text
    assert text.startswith(TEXT.rstrip()[:-1]) and text.endswith("}\n")


def test_a_class_without_assertions_gets_one() -> None:
    text = _made("class X {\n    @Test void b() {}\n}\n", "X::b")[1]
    assert f"private static void {_word('check')}(int expected, int actual)" in text
    assert text.count(f"{_word('check')}(") == 3
