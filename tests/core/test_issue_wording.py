"""What people read about issues, and what programs do."""

import json
from typing import Any

import pytest

from reknit.core.issue import IssueSource
from reknit.core.issue_documents import issue_document, shown_document
from reknit.core.issue_wording import (
    changed_line,
    counted,
    elsewhere,
    findings_row,
    issue_lines,
    next_page,
    no_issue,
    no_original,
    none_chosen,
    refused,
    show_text,
    synced,
)
from tests.tools.issue_samples import FLAKE8, MESSAGE, RUFF, changed, issue

HOSTILE = "\x1b[31mred\x1b[0m\nsecond line\u202e"
LONG = issue(
    12345, path="packages/payments/src/adapters/stripe/webhook_handler.py", line=1204, rule="explicit-function-return",
    message="Missing return type on function that is exported and so on and so on", status="IN_PROGRESS",
    sources=(IssueSource("typescript-eslint", "explicit-function-return", "m"),),
)  # fmt: skip


def test_a_list_stands_in_columns() -> None:
    assert issue_lines([issue(1), issue(20, path="b.py", line=0, weight="minor", sources=(RUFF, FLAKE8))], 0) == [
        f"I-1   OPEN  important  src/a.py:3  ruff F401     {MESSAGE}",
        f"I-20  OPEN  minor      b.py        ruff F401 +1  {MESSAGE}",
    ]
    assert issue_lines([], 80) == []


def test_a_list_tells_what_its_tools_no_longer_see_of_what_is_to_be_done() -> None:
    lines = issue_lines([issue(1, baseline="absent"), issue(2), issue(3, status="MERGED", baseline="absent")], 0)
    assert [line.split("  important")[0] for line in lines] == [
        "I-1  OPEN absent",
        "I-2  OPEN       ",
        "I-3  MERGED     ",
    ]


@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_a_list_fits_the_terminal(width: int) -> None:
    lines = issue_lines([LONG, issue(1)], width)
    assert max(map(len, lines)) <= width
    assert all("I-" in line and ".py:" in line for line in lines)
    assert "…" in lines[0]


def test_of_a_long_path_the_end_is_shown_and_of_a_message_the_beginning() -> None:
    (line,) = issue_lines([LONG], 100)
    assert "  …webhook_handler.py:1204  explicit-funct…  Missing return" in line


def test_a_terminal_too_narrow_for_all_still_shows_ids() -> None:
    assert [line[:7] for line in issue_lines([LONG], 40)] == ["I-12345"]


def test_what_fits_is_not_cut() -> None:
    (line,) = issue_lines([issue(1)], 120)
    assert line.endswith(MESSAGE)


def test_a_hostile_text_adds_no_line_and_no_colour() -> None:
    (line,) = issue_lines([issue(1, message=HOSTILE, path="a\nb.py", rule=HOSTILE)], 0)
    assert line == "I-1  OPEN  important  a b.py:3  ruff red second line  red second line"


def test_an_issue_without_sources_is_still_listed() -> None:
    assert issue_lines([issue(1, sources=())], 0) == [f"I-1  OPEN  important  src/a.py:3  F401  {MESSAGE}"]


def test_an_empty_answer_says_what_is_there() -> None:
    assert none_chosen({}) == "no issues here yet: `reknit issues import FILE…` takes in the reports of your tools"
    told = none_chosen({"OPEN": 0, "IGNORED": 2, "MERGED": 3})
    assert told == "none fits; there are 3 MERGED, 2 IGNORED: `reknit issues list --status all`"
    assert next_page(7) == "there are more: add `--after I-7` for the next ones, or `--limit N`"
    assert counted({"FAILED": 1, "OPEN": 2}) == "2 OPEN, 1 FAILED"


@pytest.mark.parametrize(
    ("counts", "row"),
    [
        pytest.param({}, "none imported    reknit issues import FILE…", id="nothing"),
        pytest.param({"OPEN": 38, "FAILED": 2, "MERGED": 9}, "38 open, 2 failed    reknit issues list", id="some"),
        pytest.param({"OPEN": 0, "MERGED": 9, "IGNORED": 1}, "none open, 10 settled", id="all settled"),
    ],
)
def test_reknit_alone_says_how_many_are_left(counts: Any, row: str) -> None:
    assert findings_row(counts) == row


def test_show_says_everything() -> None:
    whole = issue(
        42, status="RESOLVED", sources=(RUFF, FLAKE8), suggestion="Remove it", effort_1_5=2, files=3, run_id="r-7f3a",
        commit="c" * 40, pull="https://forge/pull/4", baseline="updated", duplicate_of=7,
    )  # fmt: skip
    history = [
        changed(None, "OPEN"),
        changed("IN_PROGRESS", "RESOLVED", who="reknit", why="its file\nis in it", run_id="r-7f3a", commit="c" * 40),
    ]
    lines = [(2, "import sys"), (3, "\timport os  "), (4, "")]
    assert show_text(whole, history, lines, lambda at: f"at {at:g}").splitlines() == [
        "I-42  RESOLVED  important  src/a.py:3:8",
        f"  ruff F401   {MESSAGE}   {RUFF.url}",
        "  flake8 F401   'os' imported but unused",
        "  suggest  Remove it",
        "  work     6 point(s): effort 2 of 5, 3 file(s)",
        "  seen     in the newest report of its tools; it moved or its text changed",
        "  same as  I-7",
        "  run      r-7f3a",
        f"  commit   {'c' * 40}",
        "  pull     https://forge/pull/4",
        f"  of       github.com/acme/shop   {42:032x}",
        "",
        "    2  import sys",
        "  > 3      import os",
        "    4",
        "",
        "  at 1000  OPEN                     ada: ruff found it",
        "  at 1000  IN_PROGRESS → RESOLVED   reknit: its file is in it   r-7f3a   cccccccccccc",
        "  next     reknit issues sync",
        "           reknit show r-7f3a",
    ]


def test_show_leaves_out_what_is_not_known() -> None:
    lines = show_text(issue(1, line=0), [changed(None, "OPEN")], [], str).splitlines()
    assert lines[0] == "I-1  OPEN  important  src/a.py"
    assert "  work     3 point(s): effort not estimated, files not estimated" in lines
    assert not any(line.startswith(("  suggest", "  run", "  commit", "  pull", "  same as")) for line in lines)


def test_show_cuts_lines_of_code_at_the_edge_of_the_terminal() -> None:
    text = show_text(issue(1), [], [(3, "x" * 500)], str, 60)
    assert [len(line) for line in text.splitlines() if "xxx" in line] == [60]
    assert "\x1b" not in show_text(issue(1, message=HOSTILE), [], [(3, HOSTILE)], str)


@pytest.mark.parametrize(
    ("facts", "steps"),
    [
        pytest.param({}, ["reknit fix issues", "reknit issues ignore I-1 --why TEXT"], id="open"),
        pytest.param(
            {"status": "FAILED", "run_id": "r-1"},
            ["reknit fix issues --again", "reknit issues ignore I-1 --why TEXT", "reknit show r-1"],
            id="failed",
        ),
        pytest.param({"baseline": "absent"}, ["reknit issues ignore I-1 --why TEXT"], id="absent: no run takes it"),
        pytest.param({"status": "IGNORED"}, ["reknit issues reopen I-1"], id="ignored"),
        pytest.param({"status": "IN_PROGRESS", "run_id": "r-1"}, ["reknit show r-1"], id="in progress"),
        pytest.param({"status": "MERGED"}, [], id="merged"),
    ],
)
def test_show_ends_with_what_can_be_done(facts: dict[str, str], steps: list[str]) -> None:
    lines = show_text(issue(1, **facts), [], [], str).splitlines()
    found = [line[11:] for line in lines if line.startswith(("  next", " " * 11))]
    assert found == steps


def test_a_change_is_told() -> None:
    assert changed_line([issue(1), issue(2)], "IGNORED", done=True) == "I-1, I-2 are IGNORED"
    assert changed_line([issue(1)], "OPEN", done=False) == "I-1 is OPEN already"


def test_a_refused_change_says_what_is_possible() -> None:
    problem = refused(issue(4, status="MERGED"), "IGNORED")
    assert (problem.name, problem.exit_code) == ("status", 2)
    assert problem.what == "I-4 is MERGED, which cannot be made IGNORED by hand"
    assert problem.help == "it becomes OPEN when a tool sees it again"


def test_issues_that_are_not_here_are_told_apart() -> None:
    assert no_issue([4, 5]).what == "there is no issue I-4, I-5"
    assert elsewhere(issue(4), "/srv/x").what == "I-4 is of github.com/acme/shop, and this is /srv/x"
    assert no_original(issue(4), issue(4)).what == "I-4 cannot be a duplicate of itself"
    problem = no_original(issue(4), issue(5, status="DUPLICATE", duplicate_of=2))
    assert (problem.what, problem.help) == ("I-5 is itself a duplicate of I-2", "`reknit issues duplicate I-4 I-2`")


def test_a_sync_says_what_is_merged_and_what_waits() -> None:
    assert synced([], []) == ["nothing is RESOLVED and waits for a merge"]
    assert synced([1, 2], ["c" * 40]) == ["I-1, I-2: MERGED", "1 commit(s) are not merged yet: cccccccccccc"]
    assert synced([], ["c" * 40] * 6)[0].endswith("cccccccccccc …")


def test_documents_have_every_fact_and_null_for_what_is_unknown() -> None:
    document = issue_document(issue(1, duplicate_of=3))
    assert (document["issue"], document["duplicate_of"], document["effort"], document["workload"]) == (
        "I-1",
        "I-3",
        None,
        3,
    )
    assert document["sources"] == [{"tool": "ruff", "rule": "F401", "message": MESSAGE, "url": RUFF.url}]
    assert (document["run"], document["commit"], issue_document(issue(1))["duplicate_of"]) == (None, None, None)
    shown = shown_document(issue(1), [changed("OPEN", "IGNORED")], [(3, "import os")])
    assert shown["history"] == [
        {
            "from": "OPEN",
            "to": "IGNORED",
            "who": "ada",
            "why": "ruff found it",
            "at": 1000.0,
            "run": None,
            "commit": None,
        }
    ]
    assert shown["excerpt"] == [{"line": 3, "text": "import os"}]
    assert json.loads(json.dumps(shown))["schema"] == 1
