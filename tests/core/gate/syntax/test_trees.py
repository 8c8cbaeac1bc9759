"""Names and statements in syntax trees."""

import pytest

from reknit.core.gate.syntax.trees import Language, dotted, ends_at_once, statements, tree_of


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
def test_a_chain_of_names(text: str, language: Language, kind: str, words: tuple[str, ...]) -> None:
    assert dotted(tree_of(text, language).find(kind=kind)) == words


@pytest.mark.parametrize(
    ("body", "is_over"),
    [("", True), ("return", True), ("// later\n return", True), ("x := 1\n_ = x", False)],
)
def test_a_body_that_ends_before_it_does_anything(body: str, is_over: bool) -> None:
    block = tree_of(f"package a\nfunc f() {{ {body} }}\n", "go").find(kind="block")
    assert ends_at_once(block) == is_over
    assert list(statements(None)) == []


def test_what_cannot_be_parsed_is_no_error() -> None:
    assert tree_of("(" * 5000, "rust").find(kind="function_item") is None
