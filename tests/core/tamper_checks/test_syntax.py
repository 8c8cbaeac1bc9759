"""Tests of reknit.core.tamper_checks.syntax."""

import pytest

from reknit.core.tamper_checks.syntax import Edit, edited, end, is_whole, of_kind, parse, replaced, start, walk

TEXT = 'package x\n\nvar s = "é😀"\nvar n = 12\n'


def test_positions_count_characters() -> None:
    (number,) = of_kind(parse(TEXT, "go"), "int_literal")
    assert TEXT[start(number) : end(number)] == number.text() == "12"


def test_a_tree_is_walked_in_the_order_of_its_text() -> None:
    leaves = [node.text() for node in walk(parse("package x\nvar n = 12\n", "go")) if node.is_leaf()]
    assert [leaf for leaf in leaves if leaf.strip()] == ["package", "x", "var", "n", "=", "12"]


@pytest.mark.parametrize(("text", "expected"), [(TEXT, True), ("func {{{ (", False), ("package x\nfunc (", False)])
def test_a_text_that_cannot_be_parsed_is_not_whole(text: str, expected: bool) -> None:
    assert is_whole(parse(text, "go")) is expected


def test_edits_apply_in_any_order() -> None:
    (number,) = of_kind(parse(TEXT, "go"), "int_literal")
    assert edited(TEXT, [replaced(number, "7"), Edit(8, 9, "shop")]) == 'package shop\n\nvar s = "é😀"\nvar n = 7\n'


def test_a_piece_of_a_text_is_edited_by_positions_in_the_whole() -> None:
    assert edited("n = 12", [Edit(104, 106, "7")], offset=100) == "n = 7"
