"""Tests of reknit.core.languages.java.tamper_checks.source."""

import pytest

from reknit.core.languages.java.tamper_checks.source import (
    find_annotations,
    find_calls,
    find_methods,
    find_target,
    read_annotation_name,
)
from reknit.core.syntax import read_field

TEXT = """package shop;

import static org.junit.Assert.*;
import org.junit.Test;

interface Other {}

@Tag("x")
class PriceTest {
    int x;
    @Test void a() { one(1, two()); }
    void b() {}
    @Test(timeout = 3) @Slow public void c() {}
    class Inner { @Test void d() {} }
}
"""
FILES = {
    "src/test/java/shop/PriceTest.java": TEXT,
    "Bare.java": TEXT.replace("PriceTest", "Bare"),
    "Bad.java": "class {",
}


@pytest.mark.parametrize(
    ("test", "end", "file"),
    [
        ("shop.PriceTest::a", "", "src/test/java/shop/PriceTest.java"),
        ("shop.PriceTest::a()", "()", "src/test/java/shop/PriceTest.java"),
        ("Bare::a", "", "Bare.java"),
    ],
)
def test_a_test_is_found_by_its_class(test: str, end: str, file: str) -> None:
    found = find_target(test, FILES)
    assert found and (found.name, found.end, found.test_class.file) == ("a", end, file)
    assert found.sibling("x") == f"{test.partition('::')[0]}::x{end}"


@pytest.mark.parametrize(
    "test",
    [
        pytest.param("shop.PriceTest", id="a-class-that-did-not-compile"),
        pytest.param("shop.PriceTest::b", id="not-a-test"),
        pytest.param("shop.PriceTest::c", id="a-test-with-conditions"),
        pytest.param("shop.PriceTest::a(int)[1]", id="a-parameter"),
        pytest.param("shop.PriceTest$Inner::d", id="an-inner-class"),
        pytest.param("shop.Missing::a", id="no-such-file"),
        pytest.param("Bad::a", id="a-file-that-cannot-be-parsed"),
        pytest.param("Other::a", id="no-such-class"),
    ],
)
def test_what_cannot_be_found(test: str) -> None:
    assert find_target(test, {**FILES, "Other.java": TEXT}) is None


def test_the_parts_of_a_class() -> None:
    found = find_target("shop.PriceTest::a", FILES)
    assert found
    assert [read_field(method, "name") for method in find_methods(found.test_class)] == ["a", "b", "c"]
    assert [list(find_annotations(method)) for method in find_methods(found.test_class)] == [
        ["@Test"],
        [],
        ["@Test(timeout = 3)", "@Slow"],
    ]
    assert list(found.test_class.imports) == ["org.junit.Assert.*", "org.junit.Test"]
    assert [(name, len(given)) for name, _, given in find_calls(found.method)] == [("one", 2), ("two", 0)]


@pytest.mark.parametrize(
    ("path", "expected"), [("org.junit.Test", True), ("org.junit.jupiter.api.Test", False), ("java.util.*", False)]
)
def test_the_version_of_junit(path: str, expected: bool) -> None:
    found = find_target("X::a", {"X.java": f"import {path};\nclass X {{ @Test void a() {{}} }}\n"})
    assert found and found.test_class.is_junit_4 is expected


@pytest.mark.parametrize(
    ("text", "name"), [("@Test", "Test"), ("@org.junit.Test(timeout = 3)", "Test"), ("@A ()", "A")]
)
def test_the_name_of_an_annotation(text: str, name: str) -> None:
    assert read_annotation_name(text) == name
