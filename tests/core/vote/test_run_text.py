"""What a vote tells: who works, that a vote is in, and which only when both are."""

from dataclasses import asdict, replace
from typing import Any

import pytest

from reknit.core.agent_reports.values import ReportedFinding
from reknit.core.agents.call import Aborted, AgentCall, RateLimited, Usage
from reknit.core.forge.permission import PullSnapshot
from reknit.core.forge.values import Pull
from reknit.core.runs.limits import Limits
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from reknit.core.vote.run_text import (
    render_ending,
    render_heading,
    render_side_by_side,
    report_call,
    report_look,
    report_tally,
    report_voter_start,
    show_lines,
)
from tests.tools.vote_samples import FAIR, GOOD, RUN, TALLY, TARGET, URL, voted

ENDED = replace(RUN, state="ended", ending="CLEAN", reason="approved", ended_at=165.0)
PULL = Pull(
    12, URL, "Discounts", "open", "dev", "MEMBER", "share", "a" * 40, "acme/shop", "u", "main", "b" * 40, "u", None
)  # fmt: skip


def test_the_cap_is_told_before_anything_is_spent() -> None:
    tests = TestCommand("command", ("true",), "exit code")
    spec = RunSpec("r-1", "/shop", "b" * 40, TARGET, tests, (TARGET.voters[0],), limits=Limits(budget_usd=2.5))
    assert render_heading(replace(spec, task=TARGET)) == [
        "r-1  #12 Discounts",
        "  claude and mine vote, neither sees the other's vote; an average of 80 approves; at most $2.50",
    ]


def test_what_is_looked_at() -> None:
    event = report_look(PULL, PullSnapshot("a" * 40, "b" * 40, 0))
    assert (event.kind, event.text, event.data["head"]) == ("look", "#12 Discounts at aaaaaaa", "a" * 40)


def test_who_works_is_told_and_how_often() -> None:
    assert [report_voter_start("claude", tries).text for tries in (0, 1)] == [
        "reads the change",
        "reads the change, call 2",
    ]


@pytest.mark.parametrize(
    ("call", "kind", "mark", "text"),
    [
        pytest.param(voted(GOOD, 12.0), "voted", "ok", "has voted  12 s  $0.05", id="in"),
        pytest.param(
            AgentCall(RateLimited("rate_limited")), "no_vote", "wait", "gave no vote (rate_limited)", id="later"
        ),
        pytest.param(
            AgentCall(Aborted("invalid_output", "score: got 850"), Usage(), 1.0, report=FAIR),
            "no_vote",
            "bad",
            "gave no vote (invalid_output)  1.0 s  $0.00",
            id="not one",
        ),
    ],
)
def test_no_event_before_both_are_in_holds_a_score(call: AgentCall, kind: str, mark: str, text: str) -> None:
    event = report_call("claude", 0, call)
    assert (event.kind, event.mark, event.text.startswith(text)) == (kind, mark, True)
    assert not [word for word in ("85", "78", "reads well", "one hole", "verdict") if word in str(asdict(event))]


def test_both_are_told_together() -> None:
    event = report_tally(TALLY)
    assert (event.mark, event.data["scores"], event.data["average"]) == ("ok", {"claude": 85, "mine": 78}, 81.5)
    assert event.text.startswith("approved at aaaaaaa: claude 85, mine 78")
    doubtful = [replace(TALLY, approve_0_100=90.0), replace(TALLY, now="c" * 40), replace(TALLY, now=None)]
    assert [report_tally(each).mark for each in doubtful] == ["bad"] * 3


def test_the_end_shows_them_side_by_side() -> None:
    assert render_ending(ENDED, TALLY, 80).splitlines() == [
        "CLEAN   65 s, $0.10 of $5.00",
        "  why     approved",
        "  NOTE    1 BLOCKING finding(s) named (mine 1). The average still decides: read",
        "          them before you merge.",
        f"  pr      {URL}",
        "",
        "  claude  85 of 100                       mine  78 of 100",
        "  reads well                              one hole",
        "  and is tested                           - blocking b.py:7: divides by zero",
        "  - suggestion a.py: a nit                - suggestion a.py: a nit",
        "",
        "  next    reknit show r-7f3a",
    ]


def test_findings_that_block_are_told_apart_only_where_an_approval_hides_them() -> None:
    quiet = replace(TALLY, votes=tuple(replace(vote, review=GOOD) for vote in TALLY.votes))
    assert ["NOTE" in render_ending(ENDED, each) for each in (quiet, replace(TALLY, approve_0_100=90.0))] == [False] * 2


def test_without_two_votes_nothing_of_them_is_shown() -> None:
    assert list(render_side_by_side(None)) == []
    assert show_lines(RUN, None) == [f"  pr      #12 Discounts   {URL}"]
    assert "of 100" in "\n".join(show_lines(RUN, TALLY))


def test_long_lists_are_cut_and_lines_fit() -> None:
    finding = ReportedFinding("x", "warning", "a.py", 1, "word " * 40)
    long = replace(TALLY.votes[0], review=replace(GOOD, findings=(finding,) * 7))
    lines = list(render_side_by_side(replace(TALLY, votes=(long, TALLY.votes[1])), 90))
    assert max(map(len, lines)) <= 90
    assert any(line.startswith("  - and 2 more") for line in lines)


@pytest.mark.parametrize(
    ("ending", "cause", "steps"),
    [
        ("BLOCKED", "vote", ["reknit fix pr 12", "reknit vote 12"]),
        ("BLOCKED", "login", ["reknit doctor", "reknit vote 12"]),
        ("BLOCKED", "closed", ["reknit show r-7f3a --why"]),
        ("UNVERIFIED", "vote", ["reknit vote 12"]),
        ("UNVERIFIED", "moved", ["reknit vote 12"]),
        ("OVER_BUDGET", "", ["reknit vote 12 --budget 10"]),
        ("FAILED", "", ["reknit show r-7f3a --why"]),
    ],
)
def test_the_next_step_is_named(ending: str, cause: str, steps: list[str]) -> None:
    detail: dict[str, Any] = {"cause": cause}
    lines = render_ending(replace(ENDED, ending=ending, detail=detail), None).splitlines()
    assert [line[10:] for line in lines[3:]] == steps
