"""Lines that would begin a section."""

import pytest

from reknit.core.planning.plan_file.layout import find_items, find_layout, is_structure


@pytest.mark.parametrize(
    ("line", "expected"),
    [("## Tasks", True), ("# x", True), ("### x", False), (" ## x", False), ("##x", False), ("x ## y", False)],
)
def test_structure(line: str, expected: bool) -> None:
    assert is_structure(line) is expected


def test_items_and_what_is_below_them() -> None:
    layout = find_layout("---\n---\n## Tasks\n- a\n  b\n\n  - c\n    d\n1) e\n")
    first, second = find_items(layout, "Tasks")
    assert (first.text, first.line, first.last) == ("a b", 4, 5)
    assert [(below.text, below.line, below.last) for below in first.below] == [("c d", 7, 8)]
    assert (second.text, second.below) == ("e", [])


def test_a_nested_item_without_an_item() -> None:
    layout = find_layout("---\n---\n## Tasks\n    - a\n")
    assert find_items(layout, "Tasks") == []
    assert [problem.line for problem in layout.problems] == [4]
