"""The scripted agent: its story, its outcomes, and that it counts limits over restarts."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from reknit.adapters.agents.scripted.agent import Move, ScriptedAgent, choose_move, parse_report, read_story
from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.core.agent_reports.values import FixReport, ReportedFinding, Review, Role
from reknit.core.agents.call import (
    Aborted,
    AgentCall,
    AgentOrder,
    AgentSettings,
    Done,
    Outcome,
    RateLimited,
    Unusable,
    Usage,
)
from reknit.core.box import BoxView
from reknit.core.errors import UsageError
from reknit.core.gateway.metering import ProviderRefusal
from tests.tools.gateway_client import PaperClerk

NOW = 1000.0
ASKED = {"status": "question", "summary": "unclear", "question": "Which one?"}


def agent(*moves: dict[str, object]) -> ScriptedAgent:
    return ScriptedAgent(AgentSettings("s", "scripted", story=json.dumps(moves)), now=lambda: NOW, environment={})


def work(
    scripted: ScriptedAgent,
    view: BoxView,
    attempt: int = 1,
    *,
    role: Role = "fix",
    accounting: PaperClerk | None = None,
) -> AgentCall:
    folder = str(Path(view.tree).parent / f"attempt-{attempt}")
    order = AgentOrder("r", attempt, "local", "p", 30, 30, turns=1, budget_usd=1.0, folder=folder, role=role)
    return asyncio.run(scripted.work(order, view, Bubblewrap(), accounting or PaperClerk()))


def test_one_move_an_attempt_and_the_last_repeats(view: BoxView) -> None:
    scripted = agent({"write": {"n": "one"}}, {"write": {"n": "two"}, "cost_usd": 0.5, "say": "bye"})
    work(scripted, view, 1)
    assert Path(view.tree, "n").read_text() == "one"
    for attempt in (2, 3):
        Path(view.tree, "n").unlink()
        call = work(scripted, view, attempt)
        assert Path(view.tree, "n").read_text() == "two"
        assert (call.outcome, call.usage, call.last_message) == (Done(), Usage(cost_usd=0.5), "bye")


@pytest.mark.parametrize(
    ("move", "outcome"),
    [
        pytest.param({}, Done(), id="nothing at all"),
        pytest.param({"outcome": "auth"}, Unusable("auth", "scripted by the story"), id="auth"),
        pytest.param({"outcome": "turn_limit"}, Aborted("turn_limit"), id="turns"),
        pytest.param({"outcome": "login"}, Unusable("login", "scripted by the story"), id="login"),
        pytest.param({"outcome": "refused"}, Aborted("refused", "scripted by the story"), id="the model refuses"),
        pytest.param({"outcome": "budget"}, Aborted("budget"), id="money"),
        pytest.param({"outcome": "unreachable"}, RateLimited("unreachable"), id="nobody answers"),
        pytest.param({"report": ASKED}, Aborted("asked_a_question", "Which one?"), id="a question"),
        pytest.param(
            {"replace": {"calc.py": ["c", "d"]}},
            Aborted("crashed", "exit code 1: calc.py does not contain 'c'"),
            id="a story that does not fit",
        ),
    ],
)
def test_outcomes(move: dict[str, object], outcome: Outcome, view: BoxView) -> None:
    assert work(agent(move), view).outcome == outcome


def test_a_crash_is_a_real_one(view: BoxView) -> None:
    outcome = work(agent({"outcome": "crashed"}), view).outcome
    assert isinstance(outcome, Aborted)
    assert outcome.why == "crashed"


def test_a_reviewer_reports_what_the_story_says_and_cannot_write(view: BoxView) -> None:
    told = {"verdict": "passed", "score_0_100": 90, "summary": "good"}
    call = work(agent({"report": told, "run": ["touch", "x"]}), view, role="review")
    assert (call.outcome, call.report) == (Done(), Review("passed", 90, "good"))
    assert not Path(view.tree, "x").exists()
    assert work(agent({}), view, role="review").outcome == Aborted("invalid_output", "no report received")


def test_what_it_costs_is_told_before_it_plays(view: BoxView) -> None:
    accounting = PaperClerk()
    work(agent({"cost_usd": 0.25}), view, accounting=accounting)
    assert accounting.sums == [0.25]
    assert (accounting.limits, accounting.served_accounts) == ([], [])


def test_an_account_shares_its_limits(view: BoxView) -> None:
    scripted = agent({"outcome": "rate_limited", "wait_s": 5}, {"account": "acme:1"})
    assert (scripted.account, agent({}).account) == ("acme:1", "")
    accounting = PaperClerk()
    assert work(scripted, view, accounting=accounting).outcome == RateLimited("rate_limited", NOW + 5)
    assert accounting.limits == [("acme:1", ProviderRefusal(429, NOW + 5))]
    accounting.until = NOW + 5
    assert work(scripted, view, 2, accounting=accounting) == AgentCall(RateLimited("rate_limited", NOW + 5))
    accounting.until = None
    assert work(scripted, view, 2, accounting=accounting).outcome == Done()
    assert accounting.served_accounts == ["acme:1"]


def test_limits_are_counted_on_the_host_and_then_the_move_is_played(view: BoxView) -> None:
    move = {"outcome": "rate_limited", "wait_s": 5, "limited_times": 2, "write": {"n": "x"}}
    limited = AgentCall(RateLimited("rate_limited", NOW + 5))
    assert work(agent(move), view) == limited
    assert work(agent(move), view) == limited  # a new object: as after a crash
    assert not Path(view.tree, "n").exists()
    assert work(agent(move), view).outcome == Done()
    assert Path(view.tree, "n").exists()
    assert work(agent(move), view).outcome == Done()
    assert work(agent(move), view, attempt=2) == limited


def test_without_a_number_the_limit_stays(view: BoxView) -> None:
    scripted = agent({"outcome": "overloaded"})
    assert [work(scripted, view).outcome for _ in range(3)] == [RateLimited("overloaded")] * 3


def test_the_clock_is_real_by_default(view: BoxView) -> None:
    story = json.dumps([{"outcome": "rate_limited", "wait_s": 60}])
    outcome = work(ScriptedAgent(AgentSettings("s", "scripted", story=story)), view).outcome
    assert isinstance(outcome, RateLimited)
    assert outcome.until is not None
    assert abs(outcome.until - time.time() - 60) < 30


def test_facts_tell_of_the_story() -> None:
    facts = agent({}, {}).read_facts()
    assert (facts.is_installed, facts.login, facts.detail) == (True, True, "plays a story of 2 moves")
    without = ScriptedAgent(AgentSettings("s", "scripted")).read_facts()
    assert (without.is_installed, without.detail) == (False, "agents.scripted.story is not set")


FINDING = {"category": "style", "severity": "warning", "file": "a.py", "line": 1, "issue": "x"}


@pytest.mark.parametrize(
    ("story", "word"),
    [
        pytest.param("{", "cannot be read", id="no JSON"),
        pytest.param('[{"wirte": {}}]', "wirte", id="an unknown key"),
        pytest.param("[3]", "cannot be read", id="a move that is none"),
        pytest.param("[]", "no moves", id="no moves"),
        pytest.param('[{"outcome": "great"}]', "'great' is not an outcome", id="an unknown outcome"),
        pytest.param('[{"report": {"stauts": "fixed"}}]', "stauts", id="a report that is none"),
    ],
)
def test_a_story_that_cannot_be_played_says_why(story: str, word: str) -> None:
    with pytest.raises(UsageError) as problem:
        read_story(story)
    assert word in problem.value.message
    assert "JSON list" in problem.value.help


def test_an_empty_story_is_one_move_that_does_nothing() -> None:
    assert read_story("") == (Move(),)


def test_reports() -> None:
    review = {"verdict": "needs_work", "score_0_100": 40, "summary": "s", "findings": [FINDING]}
    story = json.dumps([{}, {"report": {"status": "gave_up", "summary": "s"}}, {"report": review}])
    assert [parse_report(move) for move in read_story(story)] == [
        None,
        FixReport("gave_up", "s"),
        Review("needs_work", 40, "s", (ReportedFinding("style", "warning", "a.py", 1, "x"),)),
    ]


FIRST, SECOND, TOLD, OTHER = Move(say="1"), Move(say="2"), Move(say="a", when="correctness"), Move(say="b", when="fix")


@pytest.mark.parametrize(
    ("moves", "attempt", "prompt", "move"),
    [
        pytest.param((FIRST, SECOND), 1, "correctness", FIRST, id="the first attempt"),
        pytest.param((FIRST, SECOND), 5, "", SECOND, id="the last move repeats"),
        pytest.param((FIRST, TOLD, SECOND), 2, "tests", SECOND, id="a move for other prompts is no attempt"),
        pytest.param((FIRST, TOLD, OTHER), 1, "as correctness", TOLD, id="the prompt decides"),
        pytest.param((OTHER, TOLD), 1, "fix correctness", OTHER, id="the first that is for it"),
        pytest.param((TOLD,), 1, "tests", Move(), id="none is for it"),
    ],
)
def test_which_move_is_played(moves: tuple[Move, ...], attempt: int, prompt: str, move: Move) -> None:
    assert choose_move(moves, attempt, prompt) == move
