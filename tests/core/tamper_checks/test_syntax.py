"""Tests of reknit.core.tamper_checks.syntax."""

import pytest

from reknit.core.syntax import parse_tree
from reknit.core.tamper_checks.syntax import (
    Edit,
    apply_edits,
    change_literal,
    end_index,
    find_kind,
    is_fully_parsed,
    replace_node,
    start_index,
    walk,
)

TEXT = 'package x\n\nvar s = "é😀"\nvar n = 12\n'


def test_positions_count_characters() -> None:
    (number,) = find_kind(parse_tree(TEXT, "go"), "int_literal")
    assert TEXT[start_index(number) : end_index(number)] == number.text() == "12"


def test_a_tree_is_walked_in_the_order_of_its_text() -> None:
    leaves = [node.text() for node in walk(parse_tree("package x\nvar n = 12\n", "go")) if node.is_leaf()]
    assert [leaf for leaf in leaves if leaf.strip()] == ["package", "x", "var", "n", "=", "12"]


@pytest.mark.parametrize(("text", "expected"), [(TEXT, True), ("func {{{ (", False), ("package x\nfunc (", False)])
def test_a_text_that_cannot_be_parsed_is_not_whole(text: str, expected: bool) -> None:
    assert is_fully_parsed(parse_tree(text, "go")) is expected


def test_edits_apply_in_any_order() -> None:
    (number,) = find_kind(parse_tree(TEXT, "go"), "int_literal")
    assert (
        apply_edits(TEXT, [replace_node(number, "7"), Edit(8, 9, "shop")])
        == 'package shop\n\nvar s = "é😀"\nvar n = 7\n'
    )


def test_a_piece_of_a_text_is_edited_by_positions_in_the_whole() -> None:
    assert apply_edits("n = 12", [Edit(104, 106, "7")], offset=100) == "n = 7"


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("0", "61"),
        ("63", "124"),
        ("64", "29"),
        ("180", "87"),
        ("-4", "-65"),
        ("1_000", "497"),
        ("255u8", "124u8"),
        ("10L", "71L"),
        ("2.5", "63.5"),
        ("2.", "63.0"),
        ("200.25f", "97.25f"),
        ('"a"', '"another a"'),
        ('""', '"another "'),
        ("`a`", "`another a`"),
        ("true", "false"),
        ("false", "true"),
        ("0x1f", ""),
        ("017", ""),
        ("1e9", ""),
        ("'a'", ""),
        ('"', ""),
        ("-x", ""),
        ("-0x1", ""),
        ("want", ""),
        ("", ""),
    ],
)
def test_another_value_of_the_same_type(literal: str, expected: str) -> None:
    assert change_literal(literal) == expected


@pytest.mark.parametrize("value", [0, 1, 61, 63, 64, 100, 127, 128, 255, 32767, 65535, 2**31 - 1])
def test_a_number_stays_in_the_range_of_its_type_and_is_far(value: int) -> None:
    other = int(change_literal(str(value)))
    smallest = next(top for top in (127, 255, 32767, 65535, 2**31 - 1) if value <= top)
    assert 0 <= other <= smallest
    assert abs(other - value) > 30
