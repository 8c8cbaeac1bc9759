"""Tests of reknit.core.tamper_checks.far_literals."""

import pytest

from reknit.core.tamper_checks.far_literals import far


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
    assert far(literal) == expected


@pytest.mark.parametrize("value", [0, 1, 61, 63, 64, 100, 127, 128, 255, 32767, 65535, 2**31 - 1])
def test_a_number_stays_in_the_range_of_its_type_and_is_far(value: int) -> None:
    other = int(far(str(value)))
    smallest = next(top for top in (127, 255, 32767, 65535, 2**31 - 1) if value <= top)
    assert 0 <= other <= smallest
    assert abs(other - value) > 30
