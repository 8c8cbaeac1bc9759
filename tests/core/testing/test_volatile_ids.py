"""Tests that have another id in each run are the same tests."""

import pytest

from reknit.core.testing.volatile_ids import is_volatile, unrepeated


@pytest.mark.parametrize(
    ("now", "later"),
    [
        ("t.py::a[<Shop object at 0x7f3a5c01b2d0>]", "t.py::a[<Shop object at 0x7fe1aa00c010>]"),
        ("t.py::a[0b7b6a0e-5f0c-4d7e-8f43-0d5ad2c2b6aa]", "t.py::a[6f1c7f3e-0a41-4b6f-9d2e-9f5be8d07a10]"),
        ("t.py::a[0b7b6a0e5f0c4d7e8f430d5ad2c2b6aa]", "t.py::a[6f1c7f3e0a414b6f9d2e9f5be8d07a10]"),
        ("t.py::a[2026-05-04T10:11:12.5]", "t.py::a[2026-05-04T10:11:13.1]"),
        ("t.py::a[2026-05-04]", "t.py::a[2026-05-05]"),
        ("t.py::a[1767225600.25]", "t.py::a[1767225601.5]"),
        ("t.py::a[/tmp/tmpab12/x.db]", "t.py::a[/tmp/tmpcd34/x.db]"),
    ],
)
def test_an_id_may_contain_a_value_of_the_moment(now: str, later: str) -> None:
    assert is_volatile(now)
    assert unrepeated([now], [later]) == []
    assert unrepeated([now], [later.replace("::a", "::b")]) == [now]


@pytest.mark.parametrize("test", ["t.py::a[1]", "t.py::a[0x1f]", "t.py::a[12-30]", "t.py::a[deadbeef]", "t.py::a"])
def test_other_ids_stay_as_they_are(test: str) -> None:
    assert not is_volatile(test)
    assert unrepeated([test], [f"{test}2"]) == [test]


def test_each_test_stands_for_one_other() -> None:
    first, second, third = (f"t.py::a[<X at 0x7f00000{number}>]" for number in range(3))
    assert unrepeated([first, second], [third]) == [second]
    assert unrepeated([first, second], [second]) == [first], "one that is there stands for itself"
    assert unrepeated([first], [first, second]) == []
