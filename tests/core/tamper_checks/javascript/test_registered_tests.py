"""The tests that a test file registers."""

import pytest

from reknit.core.tamper_checks.javascript.registered_tests import (
    enclosing_test,
    literal_text,
    registered_tests,
    titles_of,
)
from reknit.core.tamper_checks.syntax import Node, of_kind, parse

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
    return parse(TEXT, "javascript")


def test_tests_are_found_by_all_their_titles() -> None:
    found = {test.titles: test.callee for test in registered_tests(root())}
    assert found == {
        ("price", "less"): "it",
        ("price", "deeper", "it's"): "test.only",
        ("outer",): "test",
        ("outer", "inner"): "t.test",
        ("Basket", "sums"): "it",
    }


def test_the_body_is_that_of_the_function() -> None:
    bodies = {test.titles[-1]: test.body.text() for test in registered_tests(root())}
    assert bodies["inner"] == "5"
    assert bodies["less"] == "{ await x; }"


def test_a_statement_is_in_the_outermost_test() -> None:
    (number,) = (node for node in of_kind(root(), "number") if node.text() == "5")
    call = enclosing_test(number)
    assert call is not None
    assert titles_of(call) == ("outer",)
    assert enclosing_test(root()) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [('"a\\"b"', 'a"b'), ("`a`", "a"), ("`a${b}`", None), ('"\\u0041"', None), ("12", None), ('""', "")],
)
def test_only_a_plain_string_is_read(text: str, expected: str | None) -> None:
    (statement,) = parse(f"x = {text}", "javascript").named_children()
    value = statement.named_children()[0].field("right")
    assert value is not None
    assert literal_text(value) == expected
