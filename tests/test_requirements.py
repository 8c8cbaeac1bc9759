"""The page of requirements lists each requirement once, and the tests and make targets that it names exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "development" / "requirements.md").read_text()
REQUIREMENTS = 49
GROUPS = {part[:2]: part for part in re.split(r"^## ", PAGE, flags=re.M)[1:]}


def list_rows(text: str) -> list[list[str]]:
    """Return the cells of each row below the heads of the tables."""
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
    return [row for row in cells if row[0] != "id" and not row[0].startswith("--")]


def find_tests(text: str) -> list[str]:
    return re.findall(r"tests/[\w/]+\.py::\w+", text)


def find_make_targets(text: str) -> list[str]:
    return re.findall(r"`make ([\w-]+)", text)


@cache
def list_functions(path: str) -> frozenset[str]:
    assert (ROOT / path).is_file(), f"there is no file {path}"
    tree = ast.parse((ROOT / path).read_text())
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_each_requirement_is_listed_once() -> None:
    names = [row[0] for row in list_rows(PAGE)]
    assert (len(names), len(set(names))) == (REQUIREMENTS, REQUIREMENTS)


@pytest.mark.parametrize("prefix", GROUPS)
def test_a_group_is_numbered_without_gaps(prefix: str) -> None:
    rows = list_rows(GROUPS[prefix])
    assert [row[0] for row in rows] == [f"{prefix}-{number}" for number in range(1, len(rows) + 1)]


@pytest.mark.parametrize("name", sorted(set(find_tests(PAGE))))
def test_a_test_that_is_named_exists(name: str) -> None:
    path, _, function = name.partition("::")
    assert function.startswith("test_")
    assert function in list_functions(path), f"{path} has no function {function}"


@pytest.mark.parametrize("row", list_rows(PAGE), ids=lambda row: row[0])
def test_a_requirement_is_shown_by_a_test_or_a_make_target(row: list[str]) -> None:
    assert len(row) == 4
    assert find_tests(row[2]) or find_make_targets(row[2])


def test_make_targets_that_are_named_exist() -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M)
    assert [name for name in find_make_targets(PAGE) if name not in targets] == []
