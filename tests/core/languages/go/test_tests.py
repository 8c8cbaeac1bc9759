"""Tests of Go, as they are and as they are weakened."""

import pytest

from reknit.core.gate.rules.tests_kept import find_emptied_tests, find_removed_tests, find_skipped_tests
from reknit.core.gate.scope import Scope
from reknit.core.languages.go.tests import read
from reknit.core.repository.change import Change, FileChange
from reknit.core.syntax import parse_tree

SCOPE = Scope((), "", 20, 1000, "go")
BASE = """\
// Package shop sells.
package shop

import "testing"

func TestDiscount(t *testing.T) {
	for _, c := range []struct{ a, b int }{{1, 2}, {3, 4}} {
		if Discount(c.a) != (pair{c.b, 1}).a {
			t.Fatalf("x")
		}
	}
	assert.Equal(t, 1, 1)
	func() { t.Log("x") }()
}

func FuzzTotal(f *testing.F) { f.Fuzz(func(t *testing.T) { require.True(t, true) }) }

func Testify() {}

func helper(t *testing.T) { t.Skip() }
"""


def test_tests_are_read_with_what_they_check() -> None:
    found = read(parse_tree(BASE, "go"))
    seen = {name: (test.assertions, test.parameters) for name, test in found.tests.items()}
    assert seen == {"TestDiscount": (2, 2), "FuzzTotal": (1, 0)}
    assert found.skips.total() == 0


@pytest.mark.parametrize(
    ("body", "assertions", "skips"),
    [
        *((f"t.{word}()", 1, {}) for word in ("Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow")),
        *((f"{word}.Equal(t)", 1, {}) for word in ("assert", "require", "expect", "mustBe", "Assert")),
        *((f"t.{word}()", 0, {f"t.{word}": 1}) for word in ("Skip", "Skipf", "SkipNow")),
        ("t.Log(1); Skipped()", 0, {}),
    ],
)
def test_what_checks_and_what_skips(body: str, assertions: int, skips: dict[str, int]) -> None:
    found = read(parse_tree(f"package a\nfunc TestA(t *testing.T) {{ {body} }}\n", "go"))
    assert (found.tests["TestA"].assertions, found.tests["TestA"].skips) == (assertions, skips)


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        ("[]int{1, 2}", 2),
        ("[2]int{1, 2}", 2),
        ("[...]int{1, 2, 3}", 3),
        ('map[string]int{"a": 1}', 1),
        ("point{1, 2}", 0),
    ],
)
def test_rows_of_a_table_are_counted(rows: str, count: int) -> None:
    found = read(parse_tree(f"package a\nfunc ExampleA() {{ f({rows}) }}\n", "go"))
    assert found.tests["ExampleA"].parameters == count


@pytest.mark.parametrize("line", ["//go:build never", "// +build never", "//+build never"])
def test_a_condition_of_the_build_switches_the_file_off(line: str) -> None:
    assert read(parse_tree(f"{line}\n\npackage a\n", "go")).skips == {line: 1}
    assert read(parse_tree("// go:builds\n\npackage a\n", "go")).skips == {}


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        pytest.param("	assert.Equal", '	t.Skip("x")\n	assert.Equal', ["test-skipped"], id="skip"),
        pytest.param("// Package shop sells.", "//go:build never\n", ["test-skipped"], id="build-condition"),
        pytest.param("func TestDiscount", "func testDiscount", ["test-removed"], id="renamed"),
        pytest.param("	assert.Equal(t, 1, 1)\n", "", ["test-emptied"], id="one-check-less"),
        pytest.param("{{1, 2}, {3, 4}}", "{{1, 2}}", ["test-emptied"], id="fewer-rows"),
        pytest.param("	for _", "	return\n	for _", ["test-emptied"], id="returns"),
        pytest.param("func Testify() {}", "func TestMore(t *testing.T) {}", [], id="a-further-test"),
    ],
)
def test_a_weaker_file_is_refused(old: str, new: str, rules: list[str]) -> None:
    assert old in BASE
    file = FileChange("price_test.go", BASE.encode(), BASE.replace(old, new, 1).encode())
    found = [
        each.rule
        for rule in (find_removed_tests, find_skipped_tests, find_emptied_tests)
        for each in rule(Change((file,)), SCOPE)
    ]
    assert found == rules
