"""Tests may be added in the languages whose syntax trees are read, and nothing else."""

import pytest

from reknit.core.gate.code_change import only_adds_tests

JS = """import { test } from 'node:test';
const { total } = require('./price');

test('adds', () => {
  assert.equal(total([1, 2]), 3);
});
"""
GO = 'package shop\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n\tt.Fail()\n}\n'
JAVA = """package shop;

import org.junit.jupiter.api.Test;

class PriceTest {
    private int rate = 2;

    @Test
    void adds() {
        check(3);
    }
}
"""
RUST = "use shop::total;\n\nfn helper() {}\n\n#[test]\n#[should_panic]\nfn adds() {\n    helper();\n}\n"
JAVA_END = "        check(3);\n    }\n"


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        *(
            pytest.param(
                f"a.test{ending}",
                JS,
                JS + "\n// more\ntest('none', async () => {\n  assert(1);\n});\n",
                id=f"a test in {ending}",
            )
            for ending in (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
        ),
        pytest.param(
            "a.test.js",
            JS,
            JS + "describe('x', function () {\n  it('y', () => ok(1));\n  describe('z', () => {});\n});\n",
            id="a suite",
        ),
        pytest.param("a_test.go", GO, GO + "\n// TestB fails.\nfunc TestB(t *testing.T) {\n\tt.Fail()\n}\n", id="Go"),
        pytest.param("a_test.go", GO, GO + "\nfunc BenchmarkB(b *testing.B) {}\n", id="a benchmark of Go"),
        pytest.param(
            "PriceTest.java",
            JAVA,
            JAVA.replace(JAVA_END, JAVA_END + '\n    @Test\n    @DisplayName("x")\n    public void more() {}\n'),
            id="Java",
        ),
        pytest.param(
            "PriceTest.java",
            JAVA,
            JAVA.replace("\nclass", "import static org.junit.jupiter.api.Assertions.fail;\n\nclass"),
            id="an import of Java",
        ),
        pytest.param("tests/a.rs", RUST, RUST + "\n#[test]\n// why\nfn more() {}\n", id="Rust"),
    ],
)
def test_tests_may_be_added_in_other_languages(path: str, before: str, after: str) -> None:
    assert before != after
    assert only_adds_tests(path, before, after)


@pytest.mark.parametrize(
    ("path", "before", "old", "new"),
    [
        pytest.param("a.test.js", JS, ", 3)", ", 4)", id="another expectation"),
        pytest.param("a.test.js", JS, "test('adds'", "test.skip('adds'", id="a skip"),
        *(
            pytest.param("a.test.js", JS, JS[-4:], JS[-4:] + added, id=added)
            for added in (
                "total = 1;\n",
                "'use strict';\n",
                "beforeEach(() => {});\n",
                "vi.mock('./price');\n",
                "test.only('x', () => {});\n",
                "test('x', () => { vi.mock('./price'); });\n",
                "test('x', () => { afterEach(undo); });\n",
                "test('x');\n",
                "test(() => {});\n",
                "test(evil(), () => {});\n",
                "test('x', { only: true }, () => {});\n",
                "describe('x', () => { evil(); });\n",
                "describe('x', () => evil());\n",
                "describe('x', () => { const a = 1; });\n",
                "evil('x', () => {});\n",
                "(await x);\n",
                "/** @jest-environment jsdom */\n",
                "// @ts-nocheck\n",
                "const a = 1;\n",
                "import './evil';\n",
                "function a() {}\n",
                "class A { x() {} }\n",
                "test('x', () => {\n",
                "evil`x`;\n",
            )
        ),
        pytest.param("a_test.go", GO, "package shop", "package other", id="another package"),
        *(
            pytest.param("a_test.go", GO, GO[-3:], GO[-3:] + added, id=added)
            for added in (
                "func TestMain(m *testing.M) {}\n",
                "func init() {}\n",
                "func helper() {}\n",
                "var x = 1\n",
                "func TestA(t *testing.T) {}\n",
                "//go:build never\n",
                "// +build never\n",
                "func (a *A) TestX() {}\n",
                "//line a.go:1\n",
            )
        ),
        pytest.param("PriceTest.java", JAVA, "rate = 2", "rate = 3", id="another field"),
        pytest.param("PriceTest.java", JAVA, "class PriceTest {", "@Disabled class PriceTest {", id="a skipped class"),
        pytest.param(
            "PriceTest.java", JAVA, "class PriceTest {", "class PriceTest extends Base {", id="a class with a base"
        ),
        pytest.param("PriceTest.java", JAVA, "import org", "import evil.*;\nimport org", id="all names of a package"),
        pytest.param("PriceTest.java", JAVA, "import org", "import evil.check;\nimport org", id="a name that is used"),
        *(
            pytest.param("PriceTest.java", JAVA, JAVA_END, JAVA_END + added, id=added)
            for added in (
                "    void more() {}\n",
                "    @BeforeEach\n    void more() {}\n",
                "    int more = 1;\n",
                "    static { evil(); }\n",
                "    @Test\n    void adds() {}\n",
                "    @Test\n    @Disabled\n    void more() {}\n",
                "    class Inner {}\n",
            )
        ),
        pytest.param("tests/a.rs", RUST, "fn adds", "#[ignore]\nfn adds", id="another attribute"),
        pytest.param("tests/a.rs", RUST, "fn adds", "fn more() {}\nfn adds", id="a function that takes the attributes"),
        pytest.param("tests/a.rs", RUST, "fn helper() {}\n", "fn helper() {}\nfn more() {}\n", id="a helper"),
        pytest.param("tests/a.rs", RUST, "use shop", "#![cfg(never)]\nuse shop", id="a condition"),
        pytest.param(
            "tests/a.rs", RUST, "fn helper() {}\n", "fn helper() {}\n#[test]\nfn helper() {}\n", id="a second helper"
        ),
        pytest.param("a_test.rb", "x = 1\n", "x = 1\n", "x = 1\ny = 1\n", id="a language that is not read"),
        pytest.param("a.test.js", "\n", "\n", "\n" + JS, id="a file without statements"),
    ],
)
def test_all_else_in_other_languages_stays(path: str, before: str, old: str, new: str) -> None:
    assert old in before
    assert not only_adds_tests(path, before, before.replace(old, new, 1))


@pytest.mark.parametrize("base", [" extends Base", " implements Checks"])
def test_a_class_of_java_that_may_have_tests_of_its_base_gains_none(base: str) -> None:
    before = JAVA.replace("class PriceTest", f"class PriceTest{base}")
    assert only_adds_tests("PriceTest.java", before, before)
    more = before.replace(JAVA_END, JAVA_END + "\n    @Test\n    void more() {}\n")
    assert not only_adds_tests("PriceTest.java", before, more)
