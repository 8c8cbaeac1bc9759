"""Compact YAML is read back as the same tree, and keeps to a limit by cutting the longest lists."""

import pytest
import yaml  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.planning.exploration.document import Tree, to_document, to_yaml
from tests.core.planning.exploration.test_document import CONTEXT

TEXTS = st.text(max_size=20) | st.sampled_from(
    ["yes", "No", "null", "~", "1e3", ".inf", "0x1f", "1:30", "-", "? a", "..."]
)
SCALARS = st.none() | st.booleans() | st.integers() | TEXTS
TREES: st.SearchStrategy[Tree] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=12
)


@given(st.dictionaries(TEXTS, TREES, max_size=5))
def test_any_tree_is_read_back(tree: dict[str, Tree]) -> None:
    assert (yaml.safe_load(to_yaml(tree)) or {}) == tree


def test_a_context_is_read_back_and_has_a_line_per_entry() -> None:
    text = to_yaml(to_document(CONTEXT))
    assert yaml.safe_load(text) == to_document(CONTEXT)
    assert '- {Id: "0123456789ab", Subject: "fix: é", Author: Ann, Date: "2026-11-16"}\n' in text
    assert "  - {Name: claude, Version: " in text


@pytest.mark.parametrize("most", [2_000, 5_000, 40_000])
def test_the_longest_lists_are_cut_and_it_is_said(most: int) -> None:
    tree: dict[str, Tree] = {
        "Name": "x",
        "Long": [f"entry {number}" for number in range(900)],
        "Short": ["a", "b"],
        "Map": {"Inner": [f"é{number}" for number in range(900)], "None": None},
        "Counts": {f"k{number}": number for number in range(5)},
    }
    text = to_yaml(tree, most)
    assert len(text.encode()) <= most
    found = yaml.safe_load(text)
    assert (found["Name"], found["Short"], found["Counts"]) == ("x", ["a", "b"], tree["Counts"])
    left_out = found.pop("LeftOut", {})
    assert len(found["Long"]) + left_out.get("Long", 0) == 900
    assert len(found["Map"]["Inner"]) + left_out.get("Map.Inner", 0) == 900
    assert bool(left_out) == (most < 40_000)
    assert 0.5 < len(found["Long"]) / len(found["Map"]["Inner"]) < 2


def test_a_list_of_which_nothing_is_left_is_empty() -> None:
    assert yaml.safe_load(to_yaml({"A": ["x" * 500], "B": {"c": "y" * 500}}, 100)) == {
        "A": [], "B": {}, "LeftOut": {"A": 1, "B": 1}
    }  # fmt: skip
