"""Tests of reknit.core.tamper_checks.java.source."""

import pytest

from reknit.core.tamper_checks.java.source import annotation_name, annotations, calls, find_target, method_name, methods

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
    assert found and (found.name, found.end, found.of.file) == ("a", end, file)
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
    assert [method_name(method) for method in methods(found.of)] == ["a", "b", "c"]
    assert [list(annotations(method)) for method in methods(found.of)] == [
        ["@Test"],
        [],
        ["@Test(timeout = 3)", "@Slow"],
    ]
    assert list(found.of.imports) == ["org.junit.Assert.*", "org.junit.Test"]
    assert [(name, len(given)) for name, _, given in calls(found.method)] == [("one", 2), ("two", 0)]


@pytest.mark.parametrize(
    ("path", "expected"), [("org.junit.Test", True), ("org.junit.jupiter.api.Test", False), ("java.util.*", False)]
)
def test_the_version_of_junit(path: str, expected: bool) -> None:
    found = find_target("X::a", {"X.java": f"import {path};\nclass X {{ @Test void a() {{}} }}\n"})
    assert found and found.of.is_junit_4 is expected


@pytest.mark.parametrize(
    ("text", "name"), [("@Test", "Test"), ("@org.junit.Test(timeout = 3)", "Test"), ("@A ()", "A")]
)
def test_the_name_of_an_annotation(text: str, name: str) -> None:
    assert annotation_name(text) == name
