"""A list of issues: in columns, as wide as the terminal."""

import pytest

from reknit.core.issues.model import IssueSource
from reknit.core.issues.output.table import get_first_line, render_table
from tests.tools.issue_samples import FLAKE8, MESSAGE, RUFF, issue

HOSTILE = "\x1b[31mred\x1b[0m\nsecond line\u202e"
TRACEBACK = "\nAssertionError: two\n  lines\nassert 6 == 7\n"
LONG = issue(
    12345, path="packages/payments/src/adapters/stripe/webhook_handler.py", line=1204, rule="explicit-function-return",
    message="Missing return type on function that is exported and so on and so on", status="IN_PROGRESS",
    sources=(IssueSource("typescript-eslint", "explicit-function-return", "m"),),
)  # fmt: skip


def test_a_list_stands_in_columns() -> None:
    assert render_table([issue(1), issue(20, path="b.py", line=0, weight="minor", sources=(RUFF, FLAKE8))], 0) == [
        f"I-1   OPEN  important  src/a.py:3  ruff F401     {MESSAGE}",
        f"I-20  OPEN  minor      b.py        ruff F401 +1  {MESSAGE}",
    ]
    assert render_table([issue(1, label="SEC-001")], 0)[0].endswith(f"ruff F401  SEC-001 {MESSAGE}")
    assert render_table([], 80) == []


def test_a_list_tells_what_its_tools_no_longer_see_of_what_is_to_be_done() -> None:
    lines = render_table([issue(1, baseline="absent"), issue(2), issue(3, status="MERGED", baseline="absent")], 0)
    assert [line.split("  important")[0] for line in lines] == [
        "I-1  OPEN absent",
        "I-2  OPEN       ",
        "I-3  MERGED     ",
    ]


@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_a_list_fits_the_terminal(width: int) -> None:
    lines = render_table([LONG, issue(1)], width)
    assert max(map(len, lines)) <= width
    assert all("I-" in line and ".py:" in line for line in lines)
    assert "…" in lines[0]


def test_of_a_long_path_the_end_is_shown_and_of_a_message_the_beginning() -> None:
    (line,) = render_table([LONG], 100)
    assert "  …webhook_handler.py:1204  explicit-functi…  Missing return" in line


@pytest.mark.parametrize(
    ("width", "line"),
    [
        pytest.param(80, "I-1  OPEN  important  src/a.py:3  eslint no-unused-va…  `os` imported but unused", id="all"),
        pytest.param(60, "I-1  OPEN  important  src/a.py:3  eslint no-unuse…  `os` im…", id="shorter"),
        pytest.param(50, "I-1  OPEN  src/a.py:3  eslint no-unuse…  `os` imp…", id="without its weight"),
        pytest.param(40, "I-1  OPEN  src/a.py:3  `os` imported bu…", id="without its rule"),
        pytest.param(20, "I-1  OPEN  src/a.py…", id="as far as it goes"),
    ],
)
def test_a_narrow_terminal_has_fewer_columns(width: int, line: str) -> None:
    eslint = IssueSource("eslint", "no-unused-vars", MESSAGE)
    assert render_table([issue(1, rule="no-unused-vars", sources=(eslint,))], width) == [line]
    assert len(line) <= width


def test_in_a_narrow_terminal_a_path_gives_way_too() -> None:
    (line,) = render_table([LONG], 40)
    assert (line, len(line)) == ("I-12345  IN_PROGRESS  …ler.py:1204  Mis…", 40)


def test_of_a_test_the_end_of_its_id_is_shown_and_of_its_message_the_first_line() -> None:
    name = "tests/test_bag.py::test_area"
    red = issue(1, path="tests/test_bag.py", rule=name, sources=(IssueSource("pytest", name, "m"),), message=TRACEBACK)
    assert render_table([red], 0) == [f"I-1  OPEN  important  tests/test_bag.py:3  pytest {name}  AssertionError: two"]
    (narrow,) = render_table([red], 80)
    assert "  pytest …est_area  AssertionError: two" in narrow
    assert get_first_line("") == ""


def test_what_fits_is_not_cut() -> None:
    (line,) = render_table([issue(1)], 120)
    assert line.endswith(MESSAGE)


def test_a_hostile_text_adds_no_line_and_no_colour() -> None:
    (line,) = render_table([issue(1, message=HOSTILE, path="a\nb.py", rule=HOSTILE)], 0)
    assert line == "I-1  OPEN  important  a b.py:3  ruff red second line  red"


def test_an_issue_without_sources_is_still_listed() -> None:
    assert render_table([issue(1, sources=())], 0) == [f"I-1  OPEN  important  src/a.py:3  F401  {MESSAGE}"]
