"""What a change reaches of findings: their file, code in it, and their lines."""

import pytest

from reknit.core.repository.change import REGULAR, Change, FileChange
from reknit.core.review.progress_file.entries import ListedFinding
from reknit.core.review.reach import BESIDE_THE_FINDINGS, ONLY_COMMENTS, Reach, find_reach

PYTHON = """\
# Sums, with tax.
def total(prices):
    return sum(prices)


def count(prices):
    return len(prices)


def mean(prices):
    return total(prices) / count(prices)
"""
GO = "package shop\n\n// Total sums.\nfunc Total() int {\n\treturn 1\n}\n"
LONG = "a\n" * 1500
FIX, REMARK = ("total(prices) / count", "total(prices) / 1 + count"), ("def mean", "# It is right.\ndef mean")


def change(path: str, before: str, old: str, new: str) -> Change:
    after = before.replace(old, new)
    return Change((FileChange(path, before.encode(), after.encode(), REGULAR, REGULAR),))


def about(line: int, file: str = "shop.py") -> tuple[ListedFinding, ...]:
    return (ListedFinding("COR-001", "logic", "mean of nothing", file, line, "It divides by zero."),)


@pytest.mark.parametrize(
    ("made", "findings", "missed", "touched"),
    [
        pytest.param(change("shop.py", PYTHON, *FIX), about(11), "", True, id="the line"),
        pytest.param(change("shop.py", PYTHON, *FIX), about(9), "", True, id="beside the line"),
        pytest.param(change("shop.py", PYTHON, *FIX), about(3), "", False, id="another place of the file"),
        pytest.param(change("shop.py", PYTHON, *FIX), about(0), "", True, id="a finding about the whole file"),
        pytest.param(change("cart.py", PYTHON, *FIX), about(11), BESIDE_THE_FINDINGS, False, id="another file"),
        pytest.param(change("shop.py", PYTHON, *REMARK), about(11), ONLY_COMMENTS, True, id="only a comment"),
        pytest.param(change("shop.py", PYTHON, "\n\n\n", "\n\n"), about(11), ONLY_COMMENTS, True, id="only blanks"),
        pytest.param(change("shop.py", PYTHON, "Sums", "Adds"), about(1), "", True, id="a finding about a comment"),
        pytest.param(change("shop.py", PYTHON, "Sums", "Adds"), about(2), ONLY_COMMENTS, True, id="beside a comment"),
        pytest.param(change("shop.py", PYTHON, "Sums", "Adds"), about(99), ONLY_COMMENTS, False, id="no such line"),
        pytest.param(change("a.go", GO, "sums", "adds"), about(3, "a.go"), "", True, id="a comment in Go"),
        pytest.param(change("a.go", GO, "sums", "adds"), about(5, "a.go"), ONLY_COMMENTS, True, id="beside it in Go"),
        pytest.param(change("a.md", "Old.\n", "Old", "New"), about(1, "a.md"), "", True, id="a document"),
        pytest.param(
            Change((FileChange("shop.py", PYTHON.encode(), None, REGULAR),)), about(2), "", True, id="the file is gone"
        ),
        pytest.param(change("shop.py", LONG, "a", "b"), about(7), "", True, id="too many lines to compare"),
    ],
)  # fmt: skip
def test_what_a_change_reaches(
    made: Change, findings: tuple[ListedFinding, ...], missed: str, *, touched: bool
) -> None:
    reach = find_reach(made, findings, Change(()))
    assert (reach.missed, reach.touched) == (missed, ("COR-001",) if touched else ())


@pytest.mark.parametrize(
    ("reach", "may_settle"),
    [(Reach("", ("A",)), True), (Reach(""), False), (Reach(ONLY_COMMENTS, ("A",)), False), (Reach("x"), False)],
)
def test_only_a_change_of_code_at_its_lines_may_settle_another_finding(reach: Reach, *, may_settle: bool) -> None:
    assert reach.may_settle == may_settle


@pytest.mark.parametrize(
    ("line", "touched"),
    [
        pytest.param(11, True, id="it moved to the changed line"),
        pytest.param(3, False, id="it moved, but not to the changed line"),
        pytest.param(1, True, id="it is gone, so it may be anywhere"),
    ],
)
def test_lines_are_followed_through_earlier_fixes(line: int, *, touched: bool) -> None:
    longer = "IMPORTS = 1\n" * 30 + PYTHON.removeprefix("# Sums, with tax.\n")
    earlier = Change((FileChange("shop.py", PYTHON.encode(), longer.encode(), REGULAR, REGULAR),))
    reach = find_reach(change("shop.py", longer, *FIX), about(line), earlier)
    assert (reach.missed, bool(reach.touched)) == ("", touched)
