"""Waits, fall-over, silence, keys that are not taken, and what is remembered, on the real engine."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reknit.adapters.git.demo_commit import commit_all
from tests.tools.command_line import Answer, CommandLine

Here = Callable[..., Answer]
SOURCE = "shop/pricing.py"
RIGHT: dict[str, Any] = {"replace": {SOURCE: ["price - percent", "price * (1 - percent / 100)"]}}
WRONG: dict[str, Any] = {"replace": {SOURCE: ["price - percent", "price - 3 * percent"]}}


def fix(here: Here, shop: Path, *arguments: str) -> Answer:
    return here("fix", "tests", "--agent", "first", "--format", "json", *arguments, cwd=shop)


def configure(reknit: CommandLine, loop: dict[str, Any] | None = None, **stories: list[dict[str, Any]]) -> None:
    """The first agent is the fixer, the others its fallback, in this order."""
    agents = {name: {"kind": "scripted", "story": json.dumps(story)} for name, story in stories.items()}
    fixer, *fallback = agents
    reknit.configure(fixer=fixer, fallback=fallback, agents=agents, loop=loop or {})


def outcomes(answer: Answer) -> list[str]:
    return [attempt["outcome"] for attempt in answer.ending["attempts"]]


def test_a_long_wait_is_not_waited_out_while_another_agent_is_ready(
    here: Here, reknit: CommandLine, shop: Path
) -> None:
    limited = {**RIGHT, "outcome": "rate_limited", "wait_s": 3600}
    configure(reknit, first=[limited], second=[RIGHT])
    answer = fix(here, shop)
    assert (answer.ending["ending"], outcomes(answer)) == ("FIXED", ["done"])
    assert [(event["from"], event["to"]) for event in answer.events("fall_over")] == [("first", "second")]
    assert answer.ending["receipt"]["agent"] == "second"
    assert answer.events("waiting") == []


def test_a_short_wait_is_waited_out(here: Here, reknit: CommandLine, shop: Path) -> None:
    limited = {**RIGHT, "outcome": "rate_limited", "wait_s": 0.2, "limited_times": 1}
    configure(reknit, first=[limited], second=[RIGHT])
    answer = fix(here, shop)
    assert (answer.ending["ending"], answer.ending["receipt"]["agent"]) == ("FIXED", "first")
    assert len(answer.events("waiting")) == 1


def test_when_all_agents_are_limited_the_run_waits(here: Here, reknit: CommandLine, shop: Path) -> None:
    first, second = ({**RIGHT, "outcome": "overloaded", "limited_times": times} for times in (1, 2))
    configure(reknit, {"wait_s": 0.3, "patience_s": 0.1}, first=[first], second=[second])
    answer = fix(here, shop)
    assert answer.ending["ending"] == "FIXED"
    assert (len(answer.events("fall_over")), len(answer.events("waiting"))) == (1, 1)
    assert answer.ending["receipt"]["agent"] == "first"


def test_a_key_that_is_not_taken_is_tried_three_times(here: Here, reknit: CommandLine, shop: Path) -> None:
    configure(reknit, first=[{"outcome": "auth"}])
    answer = fix(here, shop)
    assert (answer.ending["ending"], answer.exit_code) == ("BLOCKED", 4)
    assert [event["outcome"] for event in answer.events("attempt_ended")] == ["auth"] * 3


def test_an_agent_whose_key_is_not_taken_leaves_the_work_to_the_next(
    here: Here, reknit: CommandLine, shop: Path
) -> None:
    configure(reknit, first=[{"outcome": "auth"}], second=[RIGHT])
    answer = fix(here, shop)
    assert (answer.ending["ending"], answer.ending["receipt"]["agent"]) == ("FIXED", "second")


def test_silence_that_left_nothing_uses_up_no_attempt_until_it_is_too_much(
    here: Here, reknit: CommandLine, shop: Path
) -> None:
    silent, more_than_a_start_takes_s = {"outcome": "idle"}, 5
    loop = {"attempts": 1, "idles": 2, "agent_idle_s": more_than_a_start_takes_s}
    configure(reknit, loop, first=[silent, silent, RIGHT])
    answer = fix(here, shop)
    assert (answer.ending["ending"], outcomes(answer)) == ("FIXED", ["idle", "idle", "done"])
    assert {attempt["strategy"] for attempt in answer.ending["attempts"]} == {"local"}


def test_silence_has_an_end(here: Here, reknit: CommandLine, shop: Path) -> None:
    configure(reknit, {"attempts": 1, "idles": 1, "agent_idle_s": 0.3}, first=[{"outcome": "idle"}])
    answer = fix(here, shop)
    assert (answer.ending["ending"], outcomes(answer)) == ("DEFERRED", ["idle", "idle"])


def test_no_agent_is_called_while_nothing_changed(here: Here, reknit: CommandLine, shop: Path) -> None:
    configure(reknit, first=[WRONG])
    first = fix(here, shop, "--attempts", "1")
    again = fix(here, shop, "--attempts", "1")
    assert (first.ending["ending"], again.ending["ending"], again.exit_code) == ("DEFERRED", "DEFERRED", 1)
    assert first.ending["run"] in again.ending["reason"]
    assert (again.ending["attempts"], again.ending["spent_usd"], again.events("attempt")) == ([], 0.0, [])


def test_a_changed_tree_another_agent_or_the_users_word_is_a_new_question(
    here: Here, reknit: CommandLine, shop: Path
) -> None:
    configure(reknit, first=[WRONG])
    assert len(outcomes(fix(here, shop, "--attempts", "1"))) == 1
    assert len(outcomes(fix(here, shop, "--attempts", "1", "--again"))) == 1
    (shop / "NOTES").write_text("changed")
    commit_all(str(shop), "a changed tree")
    assert len(outcomes(fix(here, shop, "--attempts", "1"))) == 1
    configure(reknit, first=[RIGHT])
    assert fix(here, shop, "--attempts", "1").ending["ending"] == "FIXED"


def test_the_same_wrong_tree_is_verified_once(here: Here, reknit: CommandLine, shop: Path) -> None:
    configure(reknit, first=[WRONG, WRONG, RIGHT])
    answer = fix(here, shop)
    assert (answer.ending["ending"], len(outcomes(answer))) == ("FIXED", 3)
    first, second, _ = (attempt["proof"] for attempt in answer.ending["attempts"])
    assert first == second == "still_red"
    assert [event["remembered"] for event in answer.events("verify")] == [False, True, False]
