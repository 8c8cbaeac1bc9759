"""What people read about issues, and what programs do."""

from typing import Any

import pytest

from reknit.core.issues.output.messages import (
    changed_line,
    counted,
    duplicate_lines,
    elsewhere,
    exported_json,
    findings_row,
    next_page,
    no_issue,
    no_original,
    none_chosen,
    refused,
    synced,
)
from tests.tools.issue_samples import issue


def test_an_empty_answer_says_what_is_there() -> None:
    assert none_chosen({}) == "no issues here yet: `reknit issues import FILE…` imports the reports of your tools"
    told = none_chosen({"OPEN": 0, "IGNORED": 2, "MERGED": 3})
    assert told == "no issue matches; there are 3 MERGED, 2 IGNORED: `reknit issues list --status all` lists them all"
    again = none_chosen({"MERGED": 3}, "reknit issues list --rule x --status all")
    assert again == (
        "no issue matches; there are 3 MERGED: `reknit issues list --rule x --status all` searches every status"
    )
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


def test_reknit_alone_counts_apart_what_no_run_takes() -> None:
    assert findings_row({"OPEN": 25, "FAILED": 1}, 5) == "25 open (5 of them absent), 1 failed    reknit issues list"
    assert findings_row({"OPEN": 9000}, None) == "9000 open    reknit issues list"


def test_a_change_is_told() -> None:
    assert changed_line([issue(1), issue(2)], "IGNORED", done=True) == "I-1, I-2 are IGNORED"
    assert changed_line([issue(1)], "OPEN", done=False) == "I-1 is OPEN already"


def test_a_duplicate_says_of_what_and_how_to_take_it_back() -> None:
    assert duplicate_lines(issue(20), issue(3), done=True) == ["I-20 is a DUPLICATE of I-3"]
    assert duplicate_lines(issue(20), issue(3), done=False) == [
        "I-20 is already a DUPLICATE of I-3: `reknit issues reopen I-20` reverses that"
    ]
    assert duplicate_lines(issue(20), issue(3, status="IGNORED"), done=True)[1:] == [
        "I-3 is IGNORED, so both are hidden: `reknit issues reopen I-3`"
    ]


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        pytest.param(
            {"status": "DUPLICATE", "duplicate_of": 2}, "I-4 is a DUPLICATE of I-2; reopen it", id="duplicate"
        ),
        pytest.param({"status": "IGNORED"}, "I-4 is IGNORED; reopen it", id="ignored"),
    ],
)
def test_what_a_person_said_is_taken_back_before_something_else_is_said(facts: dict[str, Any], told: str) -> None:
    problem = refused(issue(4, **facts), "DUPLICATE")
    assert problem.what.startswith(told)
    assert problem.help == "`reknit issues reopen I-4`"


@pytest.mark.parametrize(("count", "told"), [(0, "f: no issues"), (1, "f: 1 issue"), (2, "f: 2 issues")])
def test_an_export_says_how_much_it_wrote(count: int, told: str) -> None:
    assert exported_json(count, "f") == told


def test_a_refused_change_says_what_is_possible() -> None:
    problem = refused(issue(4, status="MERGED"), "IGNORED")
    assert (problem.name, problem.exit_code) == ("status", 2)
    assert problem.what == "I-4 is MERGED and cannot be made IGNORED by hand"
    assert problem.help == "it becomes OPEN when a tool sees it again"


def test_issues_that_are_not_here_are_told_apart() -> None:
    assert no_issue([4, 5]).what == "there is no issue I-4, I-5"
    assert elsewhere(issue(4), "/srv/x").what == "I-4 belongs to github.com/acme/shop, but this is /srv/x"
    assert no_original(issue(4), issue(4)).what == "I-4 cannot be a duplicate of itself"
    problem = no_original(issue(4), issue(5, status="DUPLICATE", duplicate_of=2))
    assert (problem.what, problem.help) == ("I-5 is itself a duplicate of I-2", "`reknit issues duplicate I-4 I-2`")


def test_a_sync_says_what_is_merged_and_what_waits() -> None:
    assert synced([], []) == ["no RESOLVED issue is waiting for a merge"]
    assert synced([1, 2], ["c" * 40]) == ["I-1, I-2: MERGED", "1 commit(s) are not merged yet: cccccccccccc"]
    assert synced([], ["c" * 40] * 6)[0].endswith("cccccccccccc …")
