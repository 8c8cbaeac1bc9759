"""The tests that a test file registers."""

import pytest

from reknit.core.languages.javascript.tamper_checks.source import (
    choose_language,
    find_enclosing_test,
    find_registered_tests,
    find_titles,
    name_source_file_beside,
    name_test_file_beside,
    read_literal,
)
from reknit.core.syntax import parse_tree
from reknit.core.tamper_checks.syntax import Node, find_kind

TEXT = """
describe("price", () => {
  it("less", async () => { await x; });
  context.only(`deeper`, function () {
    test.only('it\\'s', function () { y(); });
  });
});
test("outer", async (t) => { await t.test("inner", () => 5); });
describe(Basket, () => { it("sums", () => {}); });
describe(`of ${name}`, () => { it("unknown", () => {}); });
it(title(), () => {});
it("pending");
it("a\\u0041", () => {});
it.each([1])("row %i", () => {});
/x/.test("y");
test();
"""


def root() -> Node:
    return parse_tree(TEXT, "javascript")


def test_tests_are_found_by_all_their_titles() -> None:
    found = {test.titles: test.callee for test in find_registered_tests(root())}
    assert found == {
        ("price", "less"): "it",
        ("price", "deeper", "it's"): "test.only",
        ("outer",): "test",
        ("outer", "inner"): "t.test",
        ("Basket", "sums"): "it",
    }


def test_the_body_is_that_of_the_function() -> None:
    bodies = {test.titles[-1]: test.body.text() for test in find_registered_tests(root())}
    assert bodies["inner"] == "5"
    assert bodies["less"] == "{ await x; }"


def test_a_statement_is_in_the_outermost_test() -> None:
    (number,) = (node for node in find_kind(root(), "number") if node.text() == "5")
    call = find_enclosing_test(number)
    assert call is not None
    assert find_titles(call) == ("outer",)
    assert find_enclosing_test(root()) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [('"a\\"b"', 'a"b'), ("`a`", "a"), ("`a${b}`", None), ('"\\u0041"', None), ("12", None), ('""', "")],
)
def test_only_a_plain_string_is_read(text: str, expected: str | None) -> None:
    (statement,) = parse_tree(f"x = {text}", "javascript").named_children()
    value = statement.named_children()[0].field("right")
    assert value is not None
    assert read_literal(value) == expected


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("src/price.test.ts", "src/word.test.ts"),
        ("test/price.js", "test/word.js"),
        ("price-list_test.mjs", "word_test.mjs"),
        ("test/test-price.js", "test/test-word.js"),
        ("a/my.price.spec.tsx", "a/word.spec.tsx"),
        ("test.js", "word.test.js"),
        ("a/spec.test.js", "a/word.spec.test.js"),
    ],
)
def test_a_runner_collects_both_or_none(file: str, expected: str) -> None:
    assert name_test_file_beside(file, "word") == expected


def test_a_source_file_has_no_word_of_tests_in_its_name() -> None:
    assert name_source_file_beside("src/price.test.ts", "word") == "src/word.ts"


@pytest.mark.parametrize(
    ("file", "language"),
    [("a.test.js", "javascript"), ("a.test.mts", "typescript"), ("a.tsx", "tsx"), ("a.jsx", "javascript")],
)
def test_the_language_is_that_of_the_ending(file: str, language: str) -> None:
    assert choose_language(file) == language
