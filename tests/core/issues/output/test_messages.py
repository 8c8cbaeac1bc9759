"""What people read about issues, and what programs do."""

from typing import Any

import pytest

from reknit.core.issues.output.messages import (
    ResolvingCommit,
    SyncResult,
    build_sync_document,
    count_by_status,
    explain_no_match,
    make_duplicate_problem,
    make_no_issue_problem,
    make_other_repository_problem,
    make_status_problem,
    render_change,
    render_duplicate,
    render_findings_row,
    render_json_export,
    render_merged,
    render_sync,
    suggest_next_page,
)
from tests.tools.issue_samples import issue


def test_an_empty_answer_says_what_is_there() -> None:
    assert explain_no_match({}) == "no issues here yet: `reknit issues import FILE…` imports the reports of your tools"
    told = explain_no_match({"OPEN": 0, "IGNORED": 2, "MERGED": 3})
    assert told == "no issue matches; there are 3 MERGED, 2 IGNORED: `reknit issues list --status all` lists them all"
    again = explain_no_match({"MERGED": 3}, "reknit issues list --rule x --status all")
    assert again == (
        "no issue matches; there are 3 MERGED: `reknit issues list --rule x --status all` searches every status"
    )
    assert suggest_next_page(7) == "there are more: add `--after I-7` for the next ones, or `--limit N`"
    assert count_by_status({"FAILED": 1, "OPEN": 2}) == "2 OPEN, 1 FAILED"


@pytest.mark.parametrize(
    ("counts", "row"),
    [
        pytest.param({}, "none imported    reknit issues import FILE…", id="nothing"),
        pytest.param({"OPEN": 38, "FAILED": 2, "MERGED": 9}, "38 open, 2 failed    reknit issues list", id="some"),
        pytest.param({"OPEN": 0, "MERGED": 9, "IGNORED": 1}, "none open, 10 settled", id="all settled"),
    ],
)
def test_reknit_alone_says_how_many_are_left(counts: Any, row: str) -> None:
    assert render_findings_row(counts) == row


def test_reknit_alone_counts_apart_what_no_run_takes() -> None:
    assert (
        render_findings_row({"OPEN": 25, "FAILED": 1}, 5)
        == "25 open (5 of them absent), 1 failed    reknit issues list"
    )
    assert render_findings_row({"OPEN": 9000}, None) == "9000 open    reknit issues list"


def test_a_change_is_told() -> None:
    assert render_change([issue(1), issue(2)], "IGNORED", has_changed=True) == "I-1, I-2 are IGNORED"
    assert render_change([issue(1)], "OPEN", has_changed=False) == "I-1 is OPEN already"


def test_a_duplicate_says_of_what_and_how_to_take_it_back() -> None:
    assert render_duplicate(issue(20), issue(3), has_changed=True) == ["I-20 is a DUPLICATE of I-3"]
    assert render_duplicate(issue(20), issue(3), has_changed=False) == [
        "I-20 is already a DUPLICATE of I-3: `reknit issues reopen I-20` reverses that"
    ]
    assert render_duplicate(issue(20), issue(3, status="IGNORED"), has_changed=True)[1:] == [
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
    problem = make_status_problem(issue(4, **facts), "DUPLICATE")
    assert problem.message.startswith(told)
    assert problem.help == "`reknit issues reopen I-4`"


@pytest.mark.parametrize(("count", "told"), [(0, "f: no issues"), (1, "f: 1 issue"), (2, "f: 2 issues")])
def test_an_export_says_how_much_it_wrote(count: int, told: str) -> None:
    assert render_json_export(count, "f") == told


def test_a_refused_change_says_what_is_possible() -> None:
    problem = make_status_problem(issue(4, status="MERGED"), "IGNORED")
    assert (problem.name, problem.exit_code) == ("status", 2)
    assert problem.message == "I-4 is MERGED and cannot be made IGNORED by hand"
    assert problem.help == "it becomes OPEN when a tool sees it again"


def test_issues_that_are_not_here_are_told_apart() -> None:
    assert make_no_issue_problem([4, 5]).message == "there is no issue I-4, I-5"
    assert (
        make_other_repository_problem(issue(4), "/srv/x").message
        == "I-4 belongs to github.com/acme/shop, but this is /srv/x"
    )
    assert make_duplicate_problem(issue(4), issue(4)).message == "I-4 cannot be a duplicate of itself"
    problem = make_duplicate_problem(issue(4), issue(5, status="DUPLICATE", duplicate_of=2))
    assert (problem.message, problem.help) == ("I-5 is itself a duplicate of I-2", "`reknit issues duplicate I-4 I-2`")


def test_a_sync_says_what_is_merged_and_what_waits() -> None:
    assert render_merged([], []) == ["no RESOLVED issue is waiting for a merge"]
    assert render_merged([1, 2], ["c" * 40]) == ["I-1, I-2: MERGED", "1 commit(s) are not merged yet: cccccccccccc"]
    assert render_merged([], ["c" * 40] * 6)[0].endswith("cccccccccccc …")


MINE = ResolvingCommit(
    "a" * 40,
    (1, 2),
    in_head=True,
)
ASIDE = ResolvingCommit("b" * 40, (3,), in_head=False, branches=("reknit/r-1", "next"))
GONE = ResolvingCommit("c" * 40, (4, 5), in_head=False)
ALONE = SyncResult(no_forge_reason="no remote of this repository is on a forge", landed=(MINE, ASIDE, GONE))
COMMITS = [each.commit for each in ALONE.landed]


def test_the_forges_word_is_told() -> None:
    assert render_sync(SyncResult(), []) == ["no RESOLVED issue is waiting for a merge"]
    assert render_sync(SyncResult((1,)), ["c" * 40]) == ["I-1: MERGED", "1 commit(s) are not merged yet: cccccccccccc"]
    assert build_sync_document(SyncResult((1,)), ["c"]) == {
        "schema": 1, "merged": ["I-1"], "waiting_commits": ["c"], "unseen": [], "not_asked": 0,
    }  # fmt: skip


def test_who_could_not_be_asked_and_what_was_not_asked_for_is_told() -> None:
    answer = SyncResult(
        (1,), failed_repositories=("up/shop could not be checked: it did\nnot answer",), unchecked_count=7
    )
    assert render_sync(answer, ["c" * 40])[2:] == [
        "up/shop could not be checked: it did not answer",
        "7 of them were not checked: run `reknit issues sync` again to check others",
    ]
    document = build_sync_document(answer, [])
    assert (document["unseen"], document["not_asked"]) == ([*answer.failed_repositories], 7)


def test_without_a_forge_it_is_told_what_the_clone_knows() -> None:
    assert render_sync(ALONE, COMMITS) == [
        "5 issue(s) are RESOLVED; no remote of this repository is on a forge, and only a forge can confirm that an "
        "issue is MERGED",
        "  I-1, I-2: aaaaaaaaaaaa is in HEAD; the next `reknit issues import` shows whether they are gone",
        "  I-3: bbbbbbbbbbbb is in reknit/r-1, not in HEAD",
        "  I-4, I-5: cccccccccccc is in no branch here; if it was abandoned: `reknit issues reopen I-4 I-5`",
    ]


def test_programs_get_the_same() -> None:
    document = build_sync_document(ALONE, COMMITS)
    assert (document["merged"], document["waiting_commits"], document["unasked"]) == (
        [],
        COMMITS,
        ALONE.no_forge_reason,
    )
    assert document["commits"] == [
        {"commit": "a" * 40, "issues": ["I-1", "I-2"], "in_head": True, "branches": []},
        {"commit": "b" * 40, "issues": ["I-3"], "in_head": False, "branches": ["reknit/r-1", "next"]},
        {"commit": "c" * 40, "issues": ["I-4", "I-5"], "in_head": False, "branches": []},
    ]
