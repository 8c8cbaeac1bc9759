"""The scripted agent: its story, its outcomes, and that it counts limits over restarts."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from reknit.adapters.agents.scripted import Move, Scripted, read_story
from reknit.adapters.boxes.bubblewrap import Bubblewrap
from reknit.core.agent_call import AgentCall, AgentOrder, AgentSettings, Broke, Done, Limited, Outcome, Refused, Usage
from reknit.core.box import Room
from reknit.core.errors import UsageProblem

NOW = 1000.0


def agent(*moves: dict[str, object]) -> Scripted:
    return Scripted(AgentSettings("s", "scripted", story=json.dumps(moves)), now=lambda: NOW, environment={})


@pytest.fixture
def room(tmp_path: Path) -> Room:
    for name in ("repository", "tree"):
        (tmp_path / name).mkdir()
    (tmp_path / "tree" / "calc.py").write_text("a - b")
    return Room(str(tmp_path / "repository"), str(tmp_path / "tree"))


def fix(scripted: Scripted, room: Room, attempt: int = 1) -> AgentCall:
    folder = str(Path(room.tree).parent / f"attempt-{attempt}")
    order = AgentOrder("r", attempt, "local", "p", wall_s=30, idle_s=30, turns=1, budget_usd=1.0, folder=folder)
    return asyncio.run(scripted.fix(order, room, Bubblewrap()))


def test_one_move_an_attempt_and_the_last_repeats(room: Room) -> None:
    scripted = agent({"write": {"n": "one"}}, {"write": {"n": "two"}, "cost_usd": 0.5, "say": "bye"})
    fix(scripted, room, 1)
    assert Path(room.tree, "n").read_text() == "one"
    for attempt in (2, 3):
        Path(room.tree, "n").unlink()
        call = fix(scripted, room, attempt)
        assert Path(room.tree, "n").read_text() == "two"
        assert (call.outcome, call.usage, call.said) == (Done(), Usage(cost_usd=0.5), "bye")


@pytest.mark.parametrize(
    ("move", "outcome"),
    [
        pytest.param({}, Done(), id="nothing at all"),
        pytest.param({"outcome": "auth"}, Refused("auth", "the story says so"), id="auth"),
        pytest.param({"outcome": "turn_limit"}, Broke("turn_limit"), id="turns"),
        pytest.param({"outcome": "crashed"}, Broke("crashed"), id="crashed"),
        pytest.param(
            {"replace": {"calc.py": ["c", "d"]}},
            Broke("crashed", "calc.py does not hold 'c'"),
            id="a story that does not fit",
        ),
    ],
)
def test_outcomes(move: dict[str, object], outcome: Outcome, room: Room) -> None:
    assert fix(agent(move), room).outcome == outcome


def test_limits_are_counted_on_the_host_and_then_the_move_is_played(room: Room) -> None:
    move = {"outcome": "rate_limited", "wait_s": 5, "limited_times": 2, "write": {"n": "x"}}
    limited = AgentCall(Limited("rate_limited", NOW + 5))
    assert fix(agent(move), room) == limited
    assert fix(agent(move), room) == limited  # a new object: as after a crash
    assert not Path(room.tree, "n").exists()
    assert fix(agent(move), room).outcome == Done()
    assert Path(room.tree, "n").exists()
    assert fix(agent(move), room).outcome == Done()
    assert fix(agent(move), room, attempt=2) == limited


def test_without_a_number_the_limit_stays(room: Room) -> None:
    scripted = agent({"outcome": "overloaded"})
    assert [fix(scripted, room).outcome for _ in range(3)] == [Limited("overloaded")] * 3


@pytest.mark.parametrize(
    ("story", "word"),
    [
        pytest.param("{", "cannot be read", id="no JSON"),
        pytest.param('[{"wirte": {}}]', "wirte", id="an unknown key"),
        pytest.param("[3]", "cannot be read", id="a move that is none"),
        pytest.param("[]", "no moves", id="no moves"),
        pytest.param('[{"outcome": "great"}]', "'great' is no outcome", id="an unknown outcome"),
    ],
)
def test_a_story_that_cannot_be_played_says_why(story: str, word: str) -> None:
    with pytest.raises(UsageProblem) as problem:
        read_story(story)
    assert word in problem.value.what
    assert "JSON list" in problem.value.help


def test_an_empty_story_does_nothing_and_the_clock_is_real_by_default(room: Room) -> None:
    assert read_story("") == (Move(),)
    story = json.dumps([{"outcome": "rate_limited", "wait_s": 60}])
    outcome = fix(Scripted(AgentSettings("s", "scripted", story=story)), room).outcome
    assert isinstance(outcome, Limited)
    assert outcome.until is not None
    assert abs(outcome.until - time.time() - 60) < 30


def test_facts_tell_of_the_story() -> None:
    facts = agent({}, {}).facts()
    assert (facts.found, facts.login, facts.detail) == (True, True, "plays a story of 2 moves")
    without = Scripted(AgentSettings("s", "scripted")).facts()
    assert (without.found, without.detail) == (False, "agents.scripted.story is not set")
