"""Tests of Java, as they are and as they are weakened."""

import pytest

from reknit.core.gate.rules.tests_kept import emptied_tests, removed_tests, skipped_tests
from reknit.core.gate.scope import Scope
from reknit.core.gate.syntax.java_tests import read
from reknit.core.gate.syntax.trees import tree_of
from reknit.core.repository.change import Change, FileChange

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
    found = read(tree_of(BASE, "java"))
    assert {name: (test.assertions, test.parameters) for name, test in found.tests.items()} == {
        "PriceTest::Small::discount": (4, 0),
        "PriceTest::rows": (1, 2),
        "PriceTest::total": (1, 0),
        "Old::testOld": (1, 0),
    }
    assert found.skips.total() == 0


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
        each.rule for rule in (removed_tests, skipped_tests, emptied_tests) for each in rule(Change((file,)), SCOPE)
    ]
    assert found == rules
