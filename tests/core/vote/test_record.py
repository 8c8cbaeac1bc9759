"""A vote is kept and read back, and holds nothing that may not be shown."""

import json
from dataclasses import replace

import pytest

from reknit.core.agent_reports.values import ReportedFinding, Review
from reknit.core.runs.spending import Spending
from reknit.core.text.format import MAX_COMMENT_CHARS
from reknit.core.vote.decision import Tally, Vote
from reknit.core.vote.record import (
    MAX_SHOWN_FINDINGS,
    MAX_STORED_FINDINGS,
    MAX_STORED_SUMMARY_CHARS,
    read_tally,
    render_comment,
    tally_to_document,
)
from tests.tools.vote_samples import TALLY


def test_it_is_read_back_as_it_was_kept() -> None:
    for counted in (TALLY, replace(TALLY, now="c" * 40), replace(TALLY, now=None, unseen="it is gone")):
        document = json.loads(json.dumps(tally_to_document(counted)))
        assert read_tally(document) == counted
    assert (document["average"], document["approved"], document["votes"][1]["score"]) == (81.5, True, 78)


def test_one_that_was_kept_before_a_reason_was_is_read_too() -> None:
    document = tally_to_document(TALLY)
    del document["unseen"]
    assert read_tally(document) == TALLY


def test_there_is_nothing_before_both_are_in() -> None:
    assert read_tally({}) is None


def test_an_agents_words_are_cut_and_cleaned() -> None:
    finding = ReportedFinding("a\x1b[2J", "warning", "a.py", 1, "x" * 900, "sk-ant-" + "a" * 30)
    wordy = Review("passed", 90, "\x1b[31mred\n" + "y" * 3000, (finding,) * (MAX_STORED_FINDINGS + 1))
    kept = read_tally(tally_to_document(replace(TALLY, votes=(Vote("a", "b", wordy),))))
    assert kept is not None
    (vote,) = kept.votes
    assert (len(vote.review.findings), len(vote.review.summary), "\x1b" in vote.review.summary) == (
        MAX_STORED_FINDINGS,
        MAX_STORED_SUMMARY_CHARS,
        False,
    )
    shown = vote.review.findings[0]
    assert (shown.category, len(shown.issue), shown.suggestion) == ("a", 500, "[Anthropic key redacted]")


def told(tally: Tally) -> str:
    return render_comment("r-1", tally, Spending(0.1, 5.0))


def test_both_votes_stand_in_it() -> None:
    assert (
        told(TALLY)
        == f"""### reknit vote: approved

Average **81.5** of 100, needs 80.

**1 BLOCKING finding(s) named (mine 1).** The average still decides: read them before you merge.

| voter | score | findings |
|--|--|--|
| claude | 85 | 1 (0 blocking) |
| mine | 78 | 2 (1 blocking) |

**claude, 85** reads well and is tested

- suggestion `a.py` a nit

**mine, 78** one hole

- blocking `b.py:7` divides by zero
- suggestion `a.py` a nit

Both votes are about {"a" * 40}; neither voter saw the other's vote.

Spent $0.10 of $5.00. `reknit show r-1` has both votes.
"""
    )


def test_what_is_not_approved_is_a_persons_to_decide_and_a_moved_branch_is_told() -> None:
    text = told(replace(TALLY, approve_0_100=95.0, now="c" * 40))
    assert "### reknit vote: not approved, a person must decide\n" in text
    assert f"are about {'a' * 40}; neither voter saw the other's vote. The branch has moved to ccccccc," in text
    assert "**1 BLOCKING finding(s) named (mine 1).**\n" in text


@pytest.mark.parametrize(
    ("tally", "heading", "told_of"),
    [
        pytest.param(
            replace(TALLY, now="c" * 40), "approved at aaaaaaa, but the branch has moved since",
            "The branch has moved to ccccccc", id="moved",
        ),
        pytest.param(
            replace(TALLY, now=None, unseen="limited: see @octocat"), "approved at aaaaaaa, but unverified",
            "The current head of the branch is unknown: limited: see ", id="unseen",
        ),
    ],
)  # fmt: skip
def test_an_approval_of_what_may_not_be_there_any_more_says_so(tally: Tally, heading: str, told_of: str) -> None:
    text = told(tally)
    assert text.startswith(f"### reknit vote: {heading}\n")
    assert told_of in text
    assert "@octocat" not in text


def test_a_voter_without_findings_has_no_list() -> None:
    quiet = replace(TALLY, votes=tuple(replace(vote, review=Review("passed", 90, "")) for vote in TALLY.votes))
    assert "\n- " not in told(quiet)
    assert "BLOCKING" not in told(quiet)
    assert "**claude, 90**\n" in told(quiet)


def test_words_of_a_voter_call_nobody_and_do_not_break_out() -> None:
    finding = ReportedFinding("x", "warning", "a`b|c.py", 1, "see @octocat <!-- reknit:pr-1 --> #3")
    rude = Vote("claude", "claude", Review("passed", 90, "## big\n@everyone | [x](http://evil.example)", (finding,)))
    text = told(replace(TALLY, votes=(rude, TALLY.votes[1])))
    assert not [word for word in ("@octocat", "@everyone", "<!--", "\n## ", "](http", "a`b") if word in text]


def test_it_never_outgrows_what_a_forge_takes() -> None:
    finding = ReportedFinding("x", "warning", "|" * 300, 1, "|" * 600)
    wordy = Review("passed", 90, "|" * 9000, (finding,) * 300)
    text = told(replace(TALLY, votes=tuple(replace(vote, review=wordy) for vote in TALLY.votes)))
    assert len(text) < MAX_COMMENT_CHARS
    assert text.count("- … and ") == 2
    few = replace(wordy, findings=(replace(finding, issue="short", file="a.py"),) * (MAX_SHOWN_FINDINGS + 1))
    assert "- … and 1 more" in told(replace(TALLY, votes=(replace(TALLY.votes[0], review=few), TALLY.votes[1])))
