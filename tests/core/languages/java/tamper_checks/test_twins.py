"""Tests of reknit.core.languages.java.tamper_checks.twins."""

import pytest

from reknit.core.languages.java.tamper_checks.source import find_target
from reknit.core.languages.java.tamper_checks.twins import MAX_TWINS, make_twin_edits


def _changes(body: str, imported: str = "org.junit.jupiter.api.Test") -> list[tuple[str, str]]:
    text = f"import {imported};\nclass X {{\n@Test\nvoid a() {{\n{body}\n}}\n}}\n"
    target = find_target("X::a", {"X.java": text})
    assert target
    return [(text[edit.start : edit.end], edit.new) for edit in make_twin_edits(target)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("assertEquals(180, f(5));", [("180", "87")], id="first"),
        pytest.param("Assertions.assertEquals(f(5), -4L);", [("-4L", "-65L")], id="second-and-negative"),
        pytest.param('assertEquals("é", f(), "words");', [('"é"', '"another é"')], id="not-the-message"),
        pytest.param("assertEquals(new Money(180), f());", [("180", "87")], id="a-value-of-the-project"),
        pytest.param("assertEquals(List.of(1, 2), f());", [("1", "62")], id="a-list"),
        pytest.param("for (int x : y) { assertEquals(true, f(x)); }", [("true", "false")], id="in-a-loop"),
        pytest.param("assertThat(f()).isEqualTo(2.5);", [("2.5", "63.5")], id="assertj"),
        pytest.param("assertThat(f(), is(equalTo(3)));", [("3", "64")], id="hamcrest"),
    ],
)
def test_a_value_that_is_expected(body: str, expected: list[tuple[str, str]]) -> None:
    assert _changes(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('assertEquals("words", 3, f());', [("3", "64")]),
        ("assertEquals(3.0, f(), 0.1);", []),
        ('assertEquals(f(), g(), "x");', []),
    ],
)
def test_junit_4_has_its_message_first(body: str, expected: list[tuple[str, str]]) -> None:
    assert _changes(body, "org.junit.Test") == expected


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("assertNotEquals(3, f());", id="inequality"),
        pytest.param("assertEquals(2.5, f(), 0.1);", id="a-tolerance"),
        pytest.param("if (x) { assertEquals(3, f()); }", id="inside-a-condition"),
        pytest.param("assertAll(() -> assertEquals(3, f()));", id="inside-a-function"),
        pytest.param("assertEquals(new A(1), new A(1));", id="two-values-of-the-project"),
        pytest.param("assertEquals(new A(x), f());", id="a-value-without-a-literal"),
        pytest.param("assertEquals(f(3), g(4));", id="arguments"),
        pytest.param('assertEquals(f(), """\nx\n""");', id="a-text-of-several-lines"),
        pytest.param("assertEquals(-x, 'c');", id="no-literal-that-has-another-value"),
        pytest.param("assertThat(f()).as(3).isEqualTo(x);", id="a-description"),
        pytest.param("assertThat(f()).usingComparator(c).isEqualTo(3);", id="a-comparison-of-the-project"),
        pytest.param("x.isEqualTo(3);", id="not-an-assertion"),
        pytest.param("isEqualTo(3);", id="a-method-of-the-class"),
        pytest.param("assertThat(f(), closeTo(3, 1));", id="hamcrest-with-a-tolerance"),
        pytest.param("assertThat(f(), is());", id="nothing-expected"),
        pytest.param("assertThat(f());", id="nothing-asserted"),
        pytest.param("assertEquals();", id="nothing-compared"),
    ],
)
def test_where_a_mismatch_may_go_unnoticed_nothing_is_changed(body: str) -> None:
    assert _changes(body) == []


def test_a_test_has_a_few_twins_each_with_one_change() -> None:
    body = "".join(f"assertEquals({number}, f());\n" for number in (1, 2, 3, 4, 5))
    assert _changes(body) == [("1", "62"), ("2", "63"), ("3", "64"), ("4", "65")]
    assert len(_changes(body)) == MAX_TWINS
