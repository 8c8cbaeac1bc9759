"""Tests of reknit.core.languages.java.tamper_checks.make."""

from reknit.core.languages.java.tamper_checks.make import make
from reknit.core.tamper_checks.checks import Names, Targets, TargetTest

TEXT = "class X {\n@Test void a() { assertEquals(3, f()); }\n@Test void b() {}\n}\n"


def _targets(test: str, file: str = "src/test/java/X.java") -> Targets:
    return Targets("maven", (TargetTest(test, ""),), {file: TEXT}, (file,))


def test_all_checks_of_a_test() -> None:
    made = make(_targets("X::a"), Names("seed"))
    assert [probe.must for probe in made.probes] == ["pass", "fail", "fail", "error", "differ"]
    assert list(made.probe_files) == ["src/test/java/X.java"]
    assert made.harness and made.harness.tests == ("X::a",)
    assert made.why_not == {}


def test_it_says_why_a_check_is_missing() -> None:
    made = make(_targets("X::b", "X.java"), Names("seed"))
    assert made.why_not == {
        "twins": "no value that a test expects is written in it",
        "second-harness": "the tests are not in src/test/java",
    }


def test_a_test_that_is_not_found() -> None:
    why = "the text of none of the tests was found"
    made = make(_targets("X::c"), Names("seed"))
    assert made.why_not == {"canaries": why, "twins": why, "second-harness": why}
