"""Tests of Java, as they are and as they are weakened."""

import pytest

from reknit.core.gate.rules.tests_kept import find_emptied_tests, find_removed_tests, find_skipped_tests
from reknit.core.gate.scope import Scope
from reknit.core.languages.java.tests import read
from reknit.core.repository.change import Change, FileChange
from reknit.core.syntax import parse_tree

SCOPE = Scope((), "", 20, 1000, "maven")
BASE = """\
package shop;

@Tag("fast")
class PriceTest {
    @Nested
    class Small {
        @Test
        void discount() {
            assertEquals(180, Price.discount(200, 10));
            assertThat(x).isTrue();
            if (x != 1) throw new AssertionError();
            if (x == 2) throw new IllegalStateException();
            assert x == 1;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    public void rows(int a) { assertEquals(a, f(a)); }

    @Test(timeout = 5)
    void total() { verify(mock).call(); }

    void helper() {}
}

class Old extends TestCase {
    public void testOld() { assertTrue(true); }
    public void setUp() {}
}
"""


def test_tests_are_read_with_what_they_check() -> None:
    found = read(parse_tree(BASE, "java"))
    assert {name: (test.assertions, test.parameters) for name, test in found.tests.items()} == {
        "PriceTest::Small::discount": (4, 0),
        "PriceTest::rows": (1, 2),
        "PriceTest::total": (1, 0),
        "Old::testOld": (1, 0),
    }
    assert found.skips.total() == 0


@pytest.mark.parametrize(
    "mark",
    [
        "Test",
        "org.junit.Test",
        "ParameterizedTest",
        "RepeatedTest",
        "TestFactory",
        "TestTemplate",
        "Property",
        "Theory",
    ],
)
def test_every_mark_of_a_test_is_known(mark: str) -> None:
    for kind in ("class", "interface"):
        found = read(parse_tree(f"{kind} A {{ @{mark} void a() {{ f(); }} @{mark}s void b() {{ f(); }} }}", "java"))
        assert [*found.tests] == ["A::a"]
    assert [*read(parse_tree(f"record A() {{ @{mark} void a() {{ f(); }} }}", "java")).tests] == ["A::a"]


@pytest.mark.parametrize(
    ("mark", "body", "assertions", "skips"),
    [
        ("", "assertEquals(1); verify(a); fail(); expectThat(1); f();", 4, {}),
        ("", "assumeTrue(a);", 0, {"assumeTrue": 1}),
        ("", "abort();", 0, {"abort": 1}),
        ("", "aborted(); consume();", 0, {}),
        ("@Disabled", "f();", 0, {"@Disabled": 1}),
        ("@EnabledOnOs(MAC)", "f();", 0, {"@EnabledOnOs": 1}),
        ("@Ignore", "f();", 0, {"@Ignore": 1}),
        ("@Other(enabled = false)", "f();", 0, {"enabled = false": 1}),
        ("@Other(expected = E.class)", "f();", 0, {"expected =": 1}),
        ("@Other(expectedExceptions = E.class)", "f();", 0, {"expectedExceptions =": 1}),
        ("@Other(enabled = true)", "f();", 0, {}),
    ],
)
def test_what_checks_and_what_skips(mark: str, body: str, assertions: int, skips: dict[str, int]) -> None:
    test = read(parse_tree(f"class A {{ @Test {mark} void a() {{ {body} }} }}", "java")).tests["A::a"]
    assert (test.assertions, test.skips) == (assertions, skips)


def test_a_skip_of_any_kind_of_class_counts() -> None:
    for kind in ("class A", "record A()", "interface A"):
        assert read(parse_tree(f"@Disabled {kind} {{ }}", "java")).skips == {"A::@Disabled": 1}
        assert read(parse_tree(f"@Tag {kind} {{ }}", "java")).skips == {}


def test_a_method_of_another_class_is_no_test() -> None:
    assert read(parse_tree("class A extends Base { void testA() { f(); } }", "java")).tests == {}
    assert read(parse_tree("class A extends TestCase { void setUp() { f(); } }", "java")).tests == {}


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        pytest.param("        @Test\n", "        @Disabled @Test\n", ["test-skipped"], id="disabled"),
        pytest.param('@Tag("fast")', '@org.junit.Ignore("x")', ["test-skipped"], id="the-class"),
        pytest.param("timeout = 5", "enabled = false", ["test-skipped"], id="an-argument"),
        pytest.param(
            "            assertEquals", "            assumeTrue(x);\n assertEquals", ["test-skipped"], id="assumed"
        ),
        pytest.param("        @Test\n", "", ["test-removed"], id="no-test-any-more"),
        pytest.param("testOld", "oldTest", ["test-removed"], id="renamed"),
        pytest.param("            assert x == 1;\n", "", ["test-emptied"], id="one-check-less"),
        pytest.param("{1, 2}", "{1}", ["test-emptied"], id="fewer-rows"),
        pytest.param("{ verify", "{ return; verify", ["test-emptied"], id="returns"),
        pytest.param("    void helper() {}", "    @Test void more() { fail(); }", [], id="a-further-test"),
    ],
)
def test_a_weaker_file_is_refused(old: str, new: str, rules: list[str]) -> None:
    assert old in BASE
    file = FileChange("PriceTest.java", BASE.encode(), BASE.replace(old, new, 1).encode())
    found = [
        each.rule
        for rule in (find_removed_tests, find_skipped_tests, find_emptied_tests)
        for each in rule(Change((file,)), SCOPE)
    ]
    assert found == rules
