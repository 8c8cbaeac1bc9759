"""Fix mode in windows of the real agents: sent back with the next strategy, let go when it is settled."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from reknit.adapters.hook import HookFiles
from reknit.core.hook.marker import MAX_BLOCKS, HookAnswer
from reknit.core.hook.mode import FixMode, start_bug
from tests.e2e.agent_windows import WINDOWS, AgentWindow, Ended, Environment, succeed
from tests.tools.scripted_model import Request, ScriptedModel, Turn

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
CODE, TEST = "shop/pricing.py", "tests/test_pricing.py"
REPAIR = (CODE, "    return price - percent", "    return price * (1 - percent / 100)")
CHEAT = (TEST, "        self.assertEqual(discount(200, 10), 180)", "        self.assertEqual(discount(200, 10), 190)")
UNDO = (TEST, CHEAT[2], CHEAT[1])
SECOND = "RETRY: BUG-001 - Attempt 2 of 3\nStrategy: web_search\n\nA repair from the code alone failed. You may search"
THIRD = "RETRY: BUG-001 - Attempt 3 of 3\nStrategy: deep_investigation\n\nSeveral repairs failed. Look broadly before"
FAILED = "\n\nTest output:\n"
REFUSED = "\n\nYour change was refused:\nprotected-test: "
DONE: Turn = {"text": "Done."}
Edit = tuple[str, str, str]
"""A file, one of its lines, and what it becomes."""


@dataclass(frozen=True)
class Scenario:
    work: Sequence[Sequence[Edit]]
    """What the agent changes before each of its stops."""
    heard: Sequence[tuple[str, str]]
    """What it is sent back with."""
    ended: str
    status: str


SCENARIOS = {
    "fixed": Scenario(
        ([], [CHEAT], [UNDO, REPAIR]),
        ((SECOND, FAILED), (THIRD, REFUSED)),
        "SUCCESS: BUG-001 fixed on attempt 3",
        "FIXED",
    ),
    "deferred": Scenario(
        ([], [], []),
        ((SECOND, FAILED), (THIRD, FAILED)),
        "DEFERRED: BUG-001 after 3 attempts",
        "DEFERRED",
    ),
}


@pytest.mark.parametrize(
    ("agent", "name"), [("claude", "fixed"), ("claude", "deferred"), ("gemini", "fixed"), ("codex", "fixed")]
)
def test_a_window_is_sent_back_with_each_strategy_and_then_let_go(
    agent: str, name: str, environment: Environment, shop: Path
) -> None:
    window, scenario = WINDOWS[agent], SCENARIOS[name]
    window.configure(environment, shop)
    window.install(environment, shop)
    ended = window.open(f"{window.typed} BUG-001 {TEST}", turns_of(window, shop, scenario.work), environment, shop)
    assert f"Fix the code so that {TEST} passes." in ended.heard[0]
    at = 0
    for head, rest in scenario.heard:
        at = next(number for number in range(at, len(ended.heard)) if quoted(head) in ended.heard[number])
        assert quoted(rest) in ended.heard[at]
    assert sum(len(edits) for edits in scenario.work) * 2 + len(scenario.work) == len(ended.heard)
    if agent == "claude":
        armed = f"UserPromptSubmit says: reknit: BUG-001 is armed: {TEST}, at most 3 attempts"
        assert ended.told == [armed, f"Stop says: {scenario.ended}"]
    shown = succeed(["reknit", "hook", "status", "--all"], environment, shop)
    assert shown.startswith(f"BUG-001  {scenario.status}  attempt 3 of 3  deep_investigation  window ")


def turns_of(window: AgentWindow, shop: Path, work: Sequence[Sequence[Edit]]) -> list[Turn]:
    turns: list[Turn] = []
    for edits in work:
        for file, old, new in edits:
            turns += window.cast.edits(str(shop / file), old, new)
        turns.append(DONE)
    return turns


def quoted(text: str) -> str:
    """As it is inside of a JSON string."""
    return json.dumps(text)[1:-1]


def test_another_window_in_its_folder_is_never_sent_back(environment: Environment, shop: Path) -> None:
    claude, others = WINDOWS["claude"], list[Ended]()
    claude.install(environment, shop)
    moments = ["reknit armed BUG-001", "RETRY: BUG-001"]

    def meanwhile(request: Request) -> Turn | None:
        """Before the first window stops, when the bug could still be claimed, and after it was sent back."""
        if moments and moments[0] in json.dumps(request.body):
            moments.pop(0)
            others.append(claude.open("Say hello.", [{"text": "Hello."}], environment, shop))
        return None

    with ScriptedModel(turns=turns_of(claude, shop, [[], [REPAIR]]), decide=meanwhile) as model:
        ended = claude.ask(f"/fix-test BUG-001 {TEST}", model, environment, shop)
    assert ended.told[1:] == ["Stop says: SUCCESS: BUG-001 fixed on attempt 2"]
    assert [(other.told, len(other.heard)) for other in others] == [([], 1), ([], 1)]


def test_the_ninth_block_in_a_row_is_never_reached_without_a_word(environment: Environment, shop: Path) -> None:
    """The results are written beforehand: a check for each of them would take a minute."""
    claude, session = WINDOWS["claude"], "7f3a91c0-0000-4000-8000-000000000001"
    claude.install(environment, shop)
    mode = FixMode("r-0", str(shop), "a" * 40, start_bug("BUG-001", TEST, 10), 1.0, session)
    files = HookFiles(Path(environment["REKNIT_STATE"], "hooks"))
    sent_back = HookAnswer(block=True, text="RETRY: BUG-001")

    def next_result(request: Request) -> Turn | None:
        if request.tools:
            files.publish(mode, sent_back, f"r-{len(model.work)}")
        return None

    with ScriptedModel(turns=[{**DONE, "repeat": True}], decide=next_result) as model:
        ended = claude.ask("Fix it.", model, environment, shop, "--session-id", session)
    assert len(ended.heard) == 1 + MAX_BLOCKS
    [paused] = ended.told
    assert paused.startswith(f"Stop says: PAUSED: BUG-001 - this window was sent back {MAX_BLOCKS} times in a row")
    assert f"`reknit fix tests {TEST} --bug BUG-001 --dirty`" in paused
