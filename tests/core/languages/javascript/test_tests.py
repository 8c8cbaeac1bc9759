"""Tests of JavaScript and TypeScript, as they are and as they are weakened."""

import pytest

from reknit.core.gate.rules.tests_kept import find_emptied_tests, find_removed_tests, find_skipped_tests
from reknit.core.gate.scope import Scope
from reknit.core.languages.javascript.tests import read
from reknit.core.repository.change import Change, FileChange
from reknit.core.syntax import ParsedTests, parse_tree

SCOPE = Scope((), "", 20, 1000, "vitest")
BASE = """\
import { describe, expect, it } from "vitest";

describe("price", () => {
  it.each([[1, 2], [3, 4]])("rows", (a, b) => expect(f(a)).toBe(b));
  it("discount", async (t) => {
    // by percentage
    expect(discount(200, 10)).not.toBe(1);
    assert.equal(discount(50, 50), 25);
    t.is(1, 1);
    total.should.equal(3);
    t.log("x"), expect(1), (() => 1)();
  });
  it("total", { timeout: 5, skip: false, ...more }, function () {
    assert(total([1, 2]) === 3);
  });
  test.todo("later");
});
it(name);
describe.each(rows);
it();
"""


def _rules(old: str, new: str) -> list[str]:
    assert old in BASE
    file = FileChange("src/price.test.ts", BASE.encode(), BASE.replace(old, new, 1).encode())
    rules = (find_removed_tests, find_skipped_tests, find_emptied_tests)
    return [refusal.rule for rule in rules for refusal in rule(Change((file,)), SCOPE)]


def test_tests_are_read_with_what_they_check() -> None:
    found = read(parse_tree(BASE, "typescript"))
    assert {name: (test.assertions, test.parameters) for name, test in found.tests.items()} == {
        "price::rows": (1, 2),
        "price::discount": (4, 0),
        "price::total": (1, 0),
        "price::later": (0, 0),
    }
    assert found.skips.total() == 0


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        pytest.param('it("total"', 'xit("total"', ["test-skipped"], id="xit"),
        pytest.param('it("total"', 'it.skip("total"', ["test-skipped"], id="skip"),
        pytest.param('it("total"', 'it.failing("total"', ["test-skipped"], id="failing"),
        pytest.param("skip: false", "skip: true", ["test-skipped"], id="an-option"),
        pytest.param("    assert.equal", "    t.skip(); assert.equal", ["test-skipped"], id="at-run-time"),
        pytest.param('describe("price"', 'describe.skip("price"', ["test-skipped"], id="the-suite"),
        pytest.param('it("total"', 'it.only("total"', ["test-skipped"], id="only-one"),
        pytest.param('it("total"', 'fit("total"', ["test-skipped"], id="fit"),
        pytest.param('it("total"', 'it("totals"', ["test-removed"], id="renamed"),
        pytest.param("test.todo", "// test.todo", ["test-removed"], id="commented-out"),
        pytest.param("    t.is(1, 1);\n", "", ["test-emptied"], id="one-check-less"),
        pytest.param(
            "expect(discount(200, 10)).not.toBe(1)", "expect(discount(200, 10))", ["test-emptied"], id="no-matcher"
        ),
        pytest.param("    // by percentage\n", "    return;\n", ["test-emptied"], id="returns"),
        pytest.param("[[1, 2], [3, 4]]", "[[1, 2]]", ["test-emptied"], id="fewer-rows"),
        pytest.param("it(name);", 'it("x", () => { expect(1).toBe(1); });', [], id="a-further-test"),
        pytest.param("25", "26", [], id="another-value-is-for-protected-test"),
    ],
)
def test_a_weaker_file_is_refused(old: str, new: str, rules: list[str]) -> None:
    assert _rules(old, new) == rules


@pytest.mark.parametrize("word", ["it", "test", "specify", "xit", "xtest", "xspecify", "fit", "ftest"])
@pytest.mark.parametrize(
    "suite", ["describe", "suite", "context", "xdescribe", "xcontext", "fdescribe", "fcontext", "describe.only"]
)
def test_every_word_for_a_test_and_for_a_suite_is_known(suite: str, word: str) -> None:
    found = read(parse_tree(f"{suite}('a', () => {{ {word}('b', () => {{ expect(1).toBe(1); }}); }});", "javascript"))
    assert [*found.tests] == ["a::b"]
    assert found.tests["a::b"].skips == ({word: 1} if word[0] == "x" else {})
    alone = (word in ("fit", "ftest")) + (suite in ("fdescribe", "fcontext", "describe.only"))
    assert found.skips == ({f"a::{suite}": 1} if suite[0] == "x" else {}) | ({"only": alone} if alone else {})


@pytest.mark.parametrize("word", ["skip", "todo", "fails", "failing", "skipIf", "runIf"])
def test_every_word_for_a_skip_is_known(word: str) -> None:
    def skips(text: str) -> dict[str, int]:
        return dict(read(parse_tree(text, "typescript")).tests["a"].skips)

    assert skips(f"it.{word}('a', () => {{ f(); }});") == {word: 1}
    assert skips(f"it('a', {{ '{word}': 1 }}, () => {{ f(); }});") == {word: 1}
    assert skips(f"it('a', {{ {word}: false }}, () => {{ f(); }});") == {}
    for context in ("t", "this", "ctx", "context", "test", "it"):
        assert skips(f"it('a', function () {{ {context}.{word}(); }});") == {f"{context}.{word}": 1}
    assert skips(f"it('a', () => {{ list.{word}(); t.a.{word}(); {word}(); }});") == {}


@pytest.mark.parametrize(
    ("body", "assertions"),
    [
        ("expect(1).toBe(1)", 1),
        ("expect(1)", 0),
        ("assert(1); assertEquals(1); assert.ok(1)", 3),
        ("a.should.equal(1)", 1),
        ("t.is(1)", 1),
        ("t(1)", 0),
        ("f(1); a.b(1)", 0),
        *((f"t.{word}(1)", 0) for word in ("skip", "todo", "plan", "log", "comment", "diagnostic", "test", "before")),
        ("t.after(1); t.mock(1)", 0),
    ],
)
def test_what_checks_something(body: str, assertions: int) -> None:
    found = read(parse_tree(f"it('a', (t) => {{ {body}; }});", "javascript"))
    assert found.tests["a"].assertions == assertions


@pytest.mark.parametrize(
    ("text", "is_empty"),
    [
        ("it('a', () => {});", True),
        ("it('a', () => { return; f(); });", True),
        ("it('a', () => f());", False),
        ("it('a', function () { f(); });", False),
        ("it.todo('a');", True),
    ],
)
def test_a_test_that_ends_before_it_checks_anything_is_empty(text: str, is_empty: bool) -> None:
    assert read(parse_tree(text, "javascript")).tests["a"].is_empty is is_empty


def test_rows_are_counted_in_the_table_of_each() -> None:
    found = read(
        parse_tree("it.each([1, 2, 3])('a', f => { g([1, 2]); });\nit('b', [1], () => { f(); });", "javascript")
    )
    assert {name: test.parameters for name, test in found.tests.items()} == {"a": 3, "b": 0}


def test_calls_that_are_no_tests() -> None:
    for text in ("item('a', () => { f(); });", "a.it('a', () => { f(); });", "it('a');", "it('a', 3);"):
        assert read(parse_tree(text, "javascript")) == ParsedTests()


def test_source_without_tests_is_not_read() -> None:
    file = FileChange("src/a.js", b"export const f = 1;\n", b"export const f = 2;\n")
    assert list(find_removed_tests(Change((file,)), SCOPE)) == []
