"""Tests of one name are counted."""

from collections import Counter

from reknit.core.gate.syntax.found_tests import FoundTest, FoundTests


def test_a_second_test_of_a_name_is_counted_with_the_first() -> None:
    found = FoundTests()
    for assertions in (1, 2):
        found.add(FoundTest("a", assertions, Counter(), 0, is_empty=False))
    assert found.tests == {"a": FoundTest("a", 2, Counter(), 0, is_empty=False, definitions=2)}
