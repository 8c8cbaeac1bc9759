"""Tests of reknit.core.languages.go.tamper_checks.make."""

from reknit.core.languages.go.tamper_checks.make import make
from reknit.core.tamper_checks.checks import Names, Targets, TargetTest

TEXT = """package shop

import "testing"

func TestA(t *testing.T) {
	if F() != 3 {
		t.Fatal()
	}
}

func TestB(t *testing.T) { t.Fatal() }
"""
FILES = {"go.mod": "module shop\n", "a_test.go": TEXT, "vat/a_test.go": TEXT, "shop.go": "package shop\n"}


def _targets(*ids: str) -> Targets:
    return Targets("go", tuple(TargetTest(test, "") for test in ids), FILES, tuple(FILES))


def test_all_checks_of_a_test() -> None:
    made = make(_targets(".::TestA"), Names("seed"))
    assert [probe.must for probe in made.probes] == ["pass", "fail", "differ"]
    assert list(made.probe_files) == ["a_test.go"]
    assert made.harness and made.harness.tests == (".::TestA",)
    assert made.why_not == {}


def test_a_subtest_is_looked_for_in_its_test() -> None:
    made = make(_targets(".::TestA", ".::TestA/x"), Names("seed"))
    assert {probe.target for probe in made.probes} == {".::TestA"}
    assert made.harness and made.harness.tests == (".::TestA", ".::TestA/x")


def test_the_harness_calls_the_package_with_most_tests() -> None:
    made = make(_targets(".::TestA", "vat::TestA", "vat::TestB"), Names("seed"))
    assert {probe.target for probe in made.probes} == {".::TestA", "vat::TestA"}
    assert made.harness and made.harness.tests == ("vat::TestA", "vat::TestB")


def test_it_says_why_a_check_is_missing() -> None:
    given = _targets(".::TestB")
    made = make(Targets("go", given.tests, {"a_test.go": TEXT}, ()), Names("seed"))
    assert [probe.must for probe in made.probes] == ["pass", "fail"]
    assert made.why_not == {
        "twins": "no value that a test expects is written in it",
        "second-harness": "go.mod names no module",
    }


def test_a_package_that_could_not_be_built_has_no_test_to_look_at() -> None:
    why = "the text of none of the tests was found"
    for ids in ((".",), (".::TestC",), ("other::TestA",)):
        made = make(_targets(*ids), Names("seed"))
        assert made.why_not == {"canaries": why, "twins": why, "second-harness": why}
        assert not made.probes and not made.harness
