"""Tests of reknit.core.languages.go.tamper_checks.source."""

import pytest

from reknit.core.languages.go.tamper_checks.source import (
    GoFile,
    find_functions,
    find_import,
    find_local_name,
    find_parameter,
    is_test_function,
    parse_package,
)

TEXT = """package shop_test

import (
	"fmt"
	check "testing"
)

func TestA(t *check.T) {}
func Testimony(t *check.T) {}
func TestB(b *check.B) {}
func TestC() {}
func TestD(a, b int, c int) {}
func (x X) TestE(t *check.T) {}
"""


def _file(text: str, path: str = "a_test.go") -> GoFile:
    (file,) = parse_package(".", {path: text})
    return file


def test_the_files_of_a_package_are_those_of_its_folder() -> None:
    text = "package a\n"
    found = parse_package("b", {"b/y.go": text, "b/x_test.go": text, "a.go": text, "b/c/z.go": text, "b/w.txt": text})
    assert [file.path for file in found] == ["b/x_test.go", "b/y.go"]
    assert [file.is_test for file in found] == [True, False]


@pytest.mark.parametrize("text", ["", "func {{", "package a\nfunc ("])
def test_a_file_that_cannot_be_parsed_is_left_out(text: str) -> None:
    assert parse_package(".", {"a.go": text}) == []


@pytest.mark.parametrize(
    ("path", "package", "expected"),
    [("a_test.go", "shop_test", True), ("a_test.go", "shop", False), ("a.go", "shop_test", False)],
)
def test_tests_may_be_in_a_package_of_their_own(path: str, package: str, expected: bool) -> None:
    assert _file(f"package {package}\n", path).is_outside is expected


def test_only_functions_that_go_test_would_run_are_tests() -> None:
    found = dict(find_functions(_file(TEXT)))
    assert list(found) == ["TestA", "Testimony", "TestB", "TestC", "TestD"]
    assert [name for name, node in found.items() if is_test_function(name, node)] == ["TestA"]


def test_the_parameter_of_a_test() -> None:
    found = dict(find_functions(_file(TEXT)))
    assert find_parameter(found["TestA"]) == ("t", "*check.T")
    assert find_parameter(found["TestC"]) == find_parameter(found["TestD"]) == ("", "")


def test_an_import_may_have_another_name() -> None:
    file = _file(TEXT)
    assert find_local_name(find_import(file, "testing"), "testing") == "check"
    assert find_local_name(find_import(file, "fmt"), "fmt") == "fmt"
    assert find_local_name(find_import(file, "os"), "os") == ""
