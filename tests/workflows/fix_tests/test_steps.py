"""Steps of the repair loop that remember: a question that was answered, and a tree that was verified."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reknit.adapters.git.landing import commit_all
from tests.tools.command_line import Answer, CommandLine

SOURCE = "shop/pricing.py"
RIGHT: dict[str, Any] = {"replace": {SOURCE: ["price - percent", "price * (1 - percent / 100)"]}}
WRONG: dict[str, Any] = {"replace": {SOURCE: ["price - percent", "price - 3 * percent"]}}
Here = Callable[..., Answer]


def fix(here: Here, shop: Path, *arguments: str) -> Answer:
    return here("fix", "tests", "--agent", "first", "--format", "json", *arguments, cwd=shop)


def configure(reknit: CommandLine, loop: dict[str, Any] | None = None, **stories: list[dict[str, Any]]) -> None:
    """The first agent is the fixer, the others its fallback, in this order."""
    agents = {name: {"kind": "scripted", "story": json.dumps(story)} for name, story in stories.items()}
    fixer, *fallback = agents
    reknit.configure(fixer=fixer, fallback=fallback, agents=agents, loop=loop or {})


def outcomes(answer: Answer) -> list[str]:
    return [attempt["outcome"] for attempt in answer.ending["attempts"]]


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
