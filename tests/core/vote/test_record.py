"""A vote is kept and read back, and holds nothing that may not be shown."""

import json
from dataclasses import replace

from reknit.core.agent_reports.values import ReportedFinding, Review
from reknit.core.vote.decision import Vote
from reknit.core.vote.record import MOST, SUMMARY, tally_in, votes_document
from tests.tools.vote_samples import TALLY


def test_it_is_read_back_as_it_was_kept() -> None:
    for counted in (TALLY, replace(TALLY, now="c" * 40), replace(TALLY, now=None, unseen="it is gone")):
        document = json.loads(json.dumps(votes_document(counted)))
        assert tally_in(document) == counted
    assert (document["average"], document["approved"], document["votes"][1]["score"]) == (81.5, True, 78)


def test_one_that_was_kept_before_a_reason_was_is_read_too() -> None:
    document = votes_document(TALLY)
    del document["unseen"]
    assert tally_in(document) == TALLY


def test_there_is_nothing_before_both_are_in() -> None:
    assert tally_in({}) is None


def test_an_agents_words_are_cut_and_cleaned() -> None:
    finding = ReportedFinding("a\x1b[2J", "warning", "a.py", 1, "x" * 900, "sk-ant-" + "a" * 30)
    wordy = Review("passed", 90, "\x1b[31mred\n" + "y" * 3000, (finding,) * (MOST + 1))
    kept = tally_in(votes_document(replace(TALLY, votes=(Vote("a", "b", wordy),))))
    assert kept is not None
    (vote,) = kept.votes
    assert (len(vote.review.findings), len(vote.review.summary), "\x1b" in vote.review.summary) == (
        MOST,
        SUMMARY,
        False,
    )
    shown = vote.review.findings[0]
    assert (shown.category, len(shown.issue), shown.suggestion) == ("a", 500, "[Anthropic key redacted]")
