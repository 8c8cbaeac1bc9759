"""Comparisons with literals, and other literals."""

import pytest

from reknit.core.languages.javascript.tamper_checks.comparisons import change_literal, find_comparisons, is_literal
from reknit.core.languages.javascript.tamper_checks.source import find_registered_tests
from reknit.core.syntax import parse_tree
from reknit.core.tamper_checks.syntax import Node, apply_edits


def body_of(lines: str) -> Node:
    (test,) = find_registered_tests(parse_tree(f'test("x", async (t) => {lines})', "javascript"))
    return test.body


@pytest.mark.parametrize(
    ("line", "form", "expected"),
    [
        ("assert.strictEqual(f(1), 180);", "assert.strictEqual({0}, {1})", "180"),
        ("assert.equal(180, f(1), 'why');", "assert.equal({0}, {1})", "180"),
        ("t.assert.deepEqual(f(), [1]);", "t.assert.deepEqual({0}, {1})", "[1]"),
        ("assert.strict.equal(f(), 'x');", "assert.strict.equal({0}, {1})", "'x'"),
        ("deepStrictEqual(f(), { a: 1 });", "deepStrictEqual({0}, {1})", "{ a: 1 }"),
        ("expect(f()).toBe(-1);", "expect({0}).toBe({1})", "-1"),
        ("expect(f()).toHaveLength(2);", "expect({0}).toBe({1})", "2"),
        ("await expect(f()).resolves.toEqual(null);", "expect({0}).toEqual({1})", "null"),
        ("return expect(f()).resolves.toBe(1);", "expect({0}).toBe({1})", "1"),
        ("expect(f()).to.be.equal(true);", "expect({0}).to.equal({1})", "true"),
        ("f().should.deep.equal([]);", "({0}).should.equal({1})", "[]"),
    ],
)
def test_a_comparison_with_a_literal_is_found(line: str, form: str, expected: str) -> None:
    (found,) = find_comparisons(body_of(f"{{ {line} }}"))
    assert (found.form, found.expected.text()) == (form, expected)


@pytest.mark.parametrize(
    "line",
    [
        "expect(f()).not.toBe(1);",
        "expect(f()).to.not.equal(1);",
        "expect(f()).resolves.toBe(1);",
        "await expect(f()).rejects.toBe(1);",
        "expect(f()).toBeCloseTo(1.5);",
        "expect(1).toBe(1);",
        "expect(f()).toBe(g());",
        "expect().toBe(1);",
        "expect(f()).toEqual(1, 2);",
        "assert.equal(1, 2);",
        "assert.equal(f());",
        "assert.equal(f(), g());",
        "assert.notEqual(f(), 1);",
        "check.equal(f(), 1);",
        "equal(f(), 1);",
        "f().must.equal(1);",
        "assert.throws(() => assert.equal(f(), 1));",
        "if (x) assert.equal(f(), 1);",
        "for (const x of y) { assert.equal(f(x), 1); }",
        "try { assert.equal(f(), 1); } catch {}",
        "if (x) { return; } assert.equal(f(), 1);",
        "if (x) { throw y; } assert.equal(f(), 1);",
        "x;",
        "return;",
        "(() => 1)();",
    ],
)
def test_what_may_not_take_place_or_is_no_equality_is_left_alone(line: str) -> None:
    assert list(find_comparisons(body_of(f"{{ {line} }}"))) == []


def test_a_return_in_a_callback_does_not_leave_the_test() -> None:
    found = find_comparisons(body_of("{ const g = () => { return 1; }; expect(f(g)).toBe(2); expect(f()).toBe(3); }"))
    assert [each.expected.text() for each in found] == ["2", "3"]


def test_an_expression_may_be_the_whole_body() -> None:
    (found,) = find_comparisons(body_of("expect(f()).resolves.toBe(2)"))
    assert found.expected.text() == "2"


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("180", "1549"),
        ("-2", "1003"),
        ("1.5", "1014.0"),
        ("'a'", "'a word'"),
        ("`a`", "`a word`"),
        ("true", "false"),
        ("false", "true"),
        ("null", "1009"),
        ("[]", "[1009]"),
        ("({})", "({word: 1009})"),
        ("[1, 2]", "[1012, 2]"),
        ("({ a: 'x' })", "({ a: 'x word' })"),
        ("0xff", "0xff"),
    ],
)
def test_another_literal_is_far_away(literal: str, expected: str) -> None:
    text = f"x = {literal}"
    node = parse_tree(text, "javascript").named_children()[0].named_children()[0].field("right")
    assert node is not None
    value = node.named_children()[0] if node.kind() == "parenthesized_expression" else node
    change = change_literal(value, "word")
    assert apply_edits(text, [change] if change else []) == f"x = {expected}"


@pytest.mark.parametrize(
    "text", ["[f()]", "({ a })", "({ a: b })", "({ ...b })", "!1", "-x", "`${a}`", "undefined", "/x/"]
)
def test_what_is_computed_is_no_literal(text: str) -> None:
    node = parse_tree(f"x = {text}", "javascript").named_children()[0].named_children()[0].field("right")
    assert node is not None
    assert not is_literal(node.named_children()[0] if node.kind() == "parenthesized_expression" else node)
