"""Small changes to the code of a reviewed change: which lines, in which order, and how many."""

from dataclasses import replace

import pytest

from reknit.core.repository.change import EXECUTABLE, REGULAR, SYMLINK, Change, FileChange
from reknit.core.review.mutants import MAX_LINE, MAX_MUTANTS, list_mutants
from tests.tools.review_samples import MEAN

CODE = """\
def mean(prices):
    # one + two
    if not prices and prices == 3:
        return 0
    return sum(prices) / len(prices)
"""


def change(path: str, after: str, before: str | None = "") -> FileChange:
    return FileChange(path, None if before is None else before.encode(), after.encode(), REGULAR, REGULAR)


def tell(*files: FileChange) -> list[str]:
    return [mutant.description for mutant in list_mutants(Change(files), (MEAN,), Change(()))]


def test_each_changes_one_place_and_those_nearest_to_the_finding_come_first() -> None:
    assert tell(change("other.go", "a := b + 1\n"), change(MEAN.file, CODE)) == [
        "shop.py:5 as `return sum(prices) * len(prices)`",
        "shop.py:4 as `return 1`",
        "shop.py:3 as `if not prices or prices == 3:`",
        "other.go:1 as `a := b - 1`",
        "shop.py:5 as `return None`",
        "shop.py:4 as `return None`",
        "shop.py:3 as `if not prices and prices != 3:`",
        "other.go:1 as `a := b + 2`",
        "shop.py:3 as `if not prices and prices == 4:`",
    ]


def test_what_the_added_tests_name_comes_before_the_rest() -> None:
    other = "def total(prices):\n    return 1\n\n\ndef mean(prices):\n    return 2\n"
    tests = change("tests/test_sums.py", "from shop.sums import mean\n")
    about = (replace(MEAN, file="tests/test_old.py"),)
    files = (change("shop/cart.py", "A = 1\n"), change("shop/sums.py", other))
    told = [mutant.description.partition(" ")[0] for mutant in list_mutants(Change(files), about, Change((tests,)))]
    assert told == ["shop/sums.py:6", "shop/sums.py:2", "shop/cart.py:1", "shop/sums.py:6", "shop/sums.py:2"]


def test_a_mutant_is_the_whole_file() -> None:
    [mutant, *_] = list_mutants(Change((change(MEAN.file, CODE),)), (MEAN,), Change(()))
    assert mutant.change.text_after == CODE.replace("/", "*")


def test_only_lines_of_product_code_that_the_change_added() -> None:
    long_line = f"a = '{'x ' * MAX_LINE}' + 1\n"
    files = [change(path, "a = 1\n") for path in ("tests/test_a.py", "tests/data.py", "notes.md")]
    files += [change("shop.py", "a = 1\nb = 2\n", "a = 1\n"), FileChange("gone.py", b"a = 1\n", None, REGULAR)]
    files += [change("long.py", long_line)]
    assert tell(*files) == ["shop.py:2 as `b = 3`"]


def test_prose_and_what_does_not_parse_are_left_alone() -> None:
    docstring = 'def mean():\n    """Return 1 and not 2.\n\n    In 3 or 4.\n    """\n    return 5\n'
    assert tell(change("shop.py", docstring)) == ["shop.py:6 as `return 6`", "shop.py:6 as `return None`"]
    assert tell(change("shop.py", "x = 1\nreturn {\n")) == []


@pytest.mark.parametrize("line", ["  return {", "  return `", "  return a \\"])
def test_a_result_is_left_out_only_of_a_whole_statement(line: str) -> None:
    assert tell(change("cart.js", f"{line}\n")) == []


def test_a_file_keeps_its_mode_and_one_that_is_no_text_is_left_alone() -> None:
    tool = FileChange("tool.py", b"", b"a = 1\n", REGULAR, EXECUTABLE)
    latin = FileChange("latin.py", b"", b"a = 1  # caf\xe9\n", REGULAR, REGULAR)
    link = FileChange("link.py", None, b"a/1.py", 0, SYMLINK)
    [mutant] = list_mutants(Change((tool, latin, link)), (MEAN,), Change(()))
    assert (mutant.change.before, mutant.change.mode_before, mutant.change.mode_after) == (
        b"a = 1\n", EXECUTABLE, EXECUTABLE,
    )  # fmt: skip


def test_a_statement_of_several_lines_stays_whole() -> None:
    assert tell(change("shop.py", "def total():\n    return sum(\n")) == []


def test_there_are_never_many() -> None:
    assert len(tell(change("shop.py", "a = 1 + 1\n" * 5000))) == MAX_MUTANTS
