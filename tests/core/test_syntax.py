"""Names and statements in syntax trees."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.repository.change import FileChange
from reknit.core.syntax import (
    LARGE,
    LARGEST_COMPARISON,
    LineDiff,
    ParsedTest,
    ParsedTests,
    Syntax,
    diff_lines,
    ends_at_once,
    find_changed_lines,
    list_statements,
    parse_tree,
    split_dotted_name,
)


@pytest.mark.parametrize(
    ("text", "language", "kind", "words"),
    [
        ("a.b(1).c(2);", "javascript", "call_expression", ("a", "b", "c")),
        ("this.skip();", "typescript", "call_expression", ("this", "skip")),
        ("(() => 1)();", "javascript", "call_expression", ()),
        ("package a\nfunc f() { t.Run(x) }\n", "go", "call_expression", ("t", "Run")),
        ("class A { void f() { a.b(); } }", "java", "method_invocation", ("a", "b")),
        ("class A { void f() { b(); } }", "java", "method_invocation", ("b",)),
        ("a" + ".b" * 39 + "();", "javascript", "call_expression", ("a", *"b" * 39)),
        ("a" + ".b" * 40 + "();", "javascript", "call_expression", ()),
    ],
)
def test_a_chain_of_names(text: str, language: Syntax, kind: str, words: tuple[str, ...]) -> None:
    assert split_dotted_name(parse_tree(text, language).find(kind=kind)) == words


@pytest.mark.parametrize(
    ("body", "is_over"),
    [("", True), ("return", True), ("// later\n return", True), ("x := 1\n_ = x", False)],
)
def test_a_body_that_ends_before_it_does_anything(body: str, is_over: bool) -> None:
    block = parse_tree(f"package a\nfunc f() {{ {body} }}\n", "go").find(kind="block")
    assert ends_at_once(block) == is_over
    assert list(list_statements(None)) == []


def test_what_cannot_be_parsed_is_no_error() -> None:
    assert parse_tree("(" * 5000, "rust").find(kind="function_item") is None


@pytest.mark.parametrize(
    ("before", "after", "added", "removed"),
    [
        pytest.param(b"a\nb\nc\n", b"a\nx\nc\n", ("x",), ("b",), id="changed-in-the-middle"),
        pytest.param(b"a\n", b"a\nb\n", ("b",), (), id="appended"),
        pytest.param(b"a\nb\n", b"b\n", (), ("a",), id="first-removed"),
        pytest.param(b"a\nb\nc\nd\ne\n", b"x\nb\nc\nd\ny\n", ("x", "y"), ("a", "e"), id="both-ends"),
        pytest.param(None, b"a\nb", ("a", "b"), (), id="new-file-without-last-newline"),
        pytest.param(b"a\n", None, (), ("a",), id="deleted"),
        pytest.param(b"a\na\n", b"a\n", (), ("a",), id="one-of-two-equal-lines"),
        pytest.param(b"a\n", b"a\n", (), (), id="nothing"),
        pytest.param(b"\xff\n", b"\xfe\xfd\n", ("\ufffd\ufffd",), ("\ufffd",), id="not-text"),
    ],
)
def test_lines_are_compared(
    before: bytes | None, after: bytes | None, added: tuple[str, ...], removed: tuple[str, ...]
) -> None:
    assert diff_lines(FileChange("a", before, after)) == LineDiff(added, removed)


def test_a_moved_line_is_taken_out_and_put_in() -> None:
    assert diff_lines(FileChange("a", b"a\nb\nc\n", b"c\na\nb\n")) == LineDiff(("c",), ("c",))


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_the_lines_after_are_those_before_without_the_removed_and_with_the_added(
    before: list[str], after: list[str]
) -> None:
    old, new = ("".join(f"{line}\n" for line in lines).encode() for lines in (before, after))
    diff = diff_lines(FileChange("a", old, new))
    kept = Counter(before) - Counter(diff.removed)
    assert kept + Counter(diff.added) == Counter(after)
    assert kept.total() + len(diff.removed) == len(before)


def test_a_huge_file_is_compared_as_a_bag_of_lines() -> None:
    size = int(LARGEST_COMPARISON**0.5) + 10
    before = "".join(f"{number}\n" for number in range(size))
    after = "".join(f"{number}\n" for number in reversed(range(1, size + 1)))
    assert diff_lines(FileChange("a", before.encode(), after.encode())) == LineDiff((str(size),), ("0",))


LONG = "x\n" * (LARGE // 2)


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        pytest.param("a\n", "b\n", None, id="small"),
        pytest.param(LONG, LONG + "\r", None, id="carriage-returns-are-not-counted"),
        pytest.param("a\nb\nc\n" + LONG, "a\nB\nc\n" + LONG, (range(1, 4), range(1, 4)), id="second-line"),
        pytest.param("a\nb\n" + LONG, "a\nq\nb\n" + LONG, (range(1, 3), range(1, 4)), id="put-in"),
        pytest.param("a\nq\nb\n" + LONG, "a\nb\n" + LONG, (range(1, 4), range(1, 3)), id="taken-out"),
    ],
)
def test_only_the_changed_lines_of_a_large_file_are_named(
    before: str, after: str, lines: tuple[range, range] | None
) -> None:
    assert find_changed_lines(before, after) == lines


def test_a_second_test_of_a_name_is_counted_with_the_first() -> None:
    found = ParsedTests()
    for assertions in (1, 2):
        found.add(ParsedTest("a", assertions, Counter(), 0, is_empty=False))
    assert found.tests == {"a": ParsedTest("a", 2, Counter(), 0, is_empty=False, definitions=2)}
