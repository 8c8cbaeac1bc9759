"""The page of a run as a value."""

from dataclasses import replace

import pytest

from reknit.core.agents.conversation import Turn
from reknit.core.agents.transcript import Transcript
from reknit.core.capability import StoredRun
from reknit.core.next_steps import list_next_steps
from reknit.core.run_page.page import MAX_PARTS, RunSources, build_page
from reknit.core.runs.view import RunView
from reknit.core.vote.record import tally_to_document
from tests.tools.run_page_samples import PROVEN, RUN, SOURCES
from tests.tools.sample_tasks import FIX_PULL_REQUEST
from tests.tools.vote_samples import RUN as VOTE_RUN
from tests.tools.vote_samples import TALLY

LEFT = replace(RUN, ending=None, state="left", phase="verify", commit=None)


def test_a_fixed_run_says_what_was_wrong_and_what_to_type() -> None:
    page = build_page(SOURCES)
    assert (page.title, page.word, page.tone) == ("FIXED · fix tests · r-1", "FIXED", "good")
    assert page.origin == "reknit fix tests · shop at bbbbbbb · 20 Nov 2026, 00:53 UTC"
    assert page.headline == "everything asked for is fixed and proven"
    assert page.facts == ("3 attempts", "4m04s", "$0.31 of $5.00", "claude", "commit ccccccc")
    assert page.commands == list_next_steps(SOURCES.stored)
    assert page.diff_command == "reknit show r-1 --diff"
    assert page.receipts[0].startswith("commit       cccccccccccc (tree dddddddddddd)")


def test_each_attempt_has_its_refusals_its_output_and_its_conversation() -> None:
    refused, red, proven, review = build_page(SOURCES).parts
    assert (refused.title, refused.word, refused.tone, refused.meta) == (
        "attempt 1", "refused [test-removed]", "bad", "local, 41 s, $0.09",
    )  # fmt: skip
    assert refused.refusals == ("too-much: the change is too large",)
    assert refused.diff.files[0].refusals[0].startswith("test-removed: the fix removed ")
    assert [turn.kind for turn in refused.turns] == ["says", "thinks", "tool", "tool", "result", "tool"]
    assert (red.word, red.output) == ("still red", "E   20.0 != 180\n1 failed")
    assert (proven.tone, proven.turns) == ("good", ())
    assert (review.title, review.meta, len(review.turns)) == ("review 1 · gemini", "6 turns", 6)


@pytest.mark.parametrize(
    ("run", "word", "tone", "headline", "command"),
    [
        pytest.param(
            replace(RUN, undone_at=1.0), "FIXED, undone", "good", RUN.reason, "reknit show r-1 --why", id="undone"
        ),
        pytest.param(
            replace(RUN, ending="DEFERRED", commit=None, reason="3 attempts failed"),
            "DEFERRED", "bad", "3 attempts failed", "reknit show r-1 --why", id="given up",
        ),
        pytest.param(
            replace(LEFT, state="waiting", reason="CI"), "waiting", "plain", "CI", "reknit watch r-1", id="waits"
        ),
        pytest.param(replace(LEFT, state="queued", phase=""), "queued", "plain", "", "reknit watch r-1", id="queued"),
        pytest.param(
            LEFT, "left", "plain", "by a worker that died (proves the change): `reknit resume r-1`",
            "reknit resume r-1", id="left",
        ),
    ],
)  # fmt: skip
def test_every_state_has_a_word_and_a_command(run: RunView, word: str, tone: str, headline: str, command: str) -> None:
    page = build_page(RunSources(StoredRun(run)))
    assert (page.word, page.tone, page.headline, page.commands[0][1]) == (word, tone, headline, command)
    assert (page.parts, page.bars, page.proof, page.receipts) == ((), (), (), ())


@pytest.mark.parametrize("kind", ["fix tests", "fix issues", "review", "plan", "of a later release"])
def test_every_kind_of_run_has_a_page(kind: str) -> None:
    for run in (replace(LEFT, kind=kind), replace(RUN, kind=kind)):
        assert build_page(replace(SOURCES, stored=replace(SOURCES.stored, run=run))).title.endswith(f"{kind} · r-1")


def test_a_pull_request_shows_its_table() -> None:
    target = {"number": FIX_PULL_REQUEST.number, "url": FIX_PULL_REQUEST.url, "title": "Discounts", "reviewer": None}
    run = replace(RUN, kind="fix pr", spec={"task": target})
    page = build_page(RunSources(StoredRun(run)))
    assert "#12" in page.lines
    assert page.commands == list_next_steps(StoredRun(run))


def test_a_vote_shows_its_votes() -> None:
    page = build_page(RunSources(StoredRun(VOTE_RUN, documents={"votes": tally_to_document(TALLY)})))
    assert page.facts[-1] == "claude, mine"
    assert "one hole" in page.lines


def test_a_running_attempt_has_no_verdict() -> None:
    running = replace(PROVEN, ended_at=None, proof=None, outcome=None, cost_usd=None)
    (part,) = build_page(RunSources(StoredRun(LEFT, (running,)))).parts
    assert (part.word, part.tone, part.meta) == ("not finished", "plain", "deep, 0.0 s, $0.00")


def test_long_runs_are_cut_and_say_so() -> None:
    turns = tuple(Turn("says", f"{number} " + "<" * 2_000) for number in range(500))
    proof = {"word": "still_red", "sentence": "", "output_tail": "x\n" * 9_000}
    attempts = tuple(replace(PROVEN, number=number, proof=proof) for number in range(1, MAX_PARTS + 3))
    calls = (Transcript("attempt-1", "", turns),)
    receipts = [{**SOURCES.stored.receipts[0], "checks": ["y" * 200] * 99}]
    page = build_page(RunSources(StoredRun(RUN, attempts, receipts), SOURCES.events, calls), 600_000)
    assert (len(page.parts), page.parts_rest) == (MAX_PARTS, "2 more")
    assert page.parts[0].rest == "500 more turns"
    assert 0 < len(page.parts[0].output) < 2_000
    one = build_page(RunSources(StoredRun(RUN, attempts[:1]), (), calls), 600_000).parts[0]
    assert one.rest.endswith(" more turns")
    assert one.turns[0].text == "0 " + "<" * 998 + "…"
    small = build_page(RunSources(StoredRun(RUN, (), receipts)), 20_000)
    assert 0 < len(small.receipts[0]) <= 2_500
