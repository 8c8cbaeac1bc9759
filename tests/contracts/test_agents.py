"""What every agent owes its caller, tried in the real box."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from reknit.adapters import registry
from reknit.core.agent_reports.values import Role
from reknit.core.agents.call import Aborted, AgentCall, AgentOrder, AgentSettings, Done
from reknit.core.box import BoxView
from reknit.ports.agents import Agent
from tests.tools.gateway_client import PRICES, PaperClerk
from tests.tools.scripted_model import ScriptedModel

BROKEN, FIXED = "return a - b\n", "return a + b\n"
FOREVER = f"86399.{os.getpid()}"
"""Seconds to sleep; also a word by which a process that is left can be found."""


def _scripted(**move: object) -> AgentSettings:
    return AgentSettings("a", "scripted", story=json.dumps([move]))


def _shell(line: str) -> AgentSettings:
    return AgentSettings("a", "any_command", command=("sh", "-c", line))


Case = dict[str, AgentSettings]
CASES: dict[str, Case] = {
    "scripted": {
        "edits": _scripted(replace={"calc.py": ["a - b", "a + b"]}, write={"new/file.txt": "x"}, say="I did it"),
        "fails": _scripted(outcome="crashed", write={"new.txt": "x"}),
        "is silent": _scripted(outcome="idle"),
        "talks for ever": _scripted(outcome="timeout"),
        "starts and stays": _scripted(run=["sh", "-c", f"echo x > started; sleep {FOREVER}"]),
    },
    "any_command": {
        "edits": _shell("sed -i 's/a - b/a + b/' calc.py && mkdir new && printf x > new/file.txt && echo I did it"),
        "fails": _shell("printf x > new.txt; exit 3"),
        "is silent": _shell(f"sleep {FOREVER}"),
        "talks for ever": _shell("while :; do echo talk; sleep 0.1; done"),
        "starts and stays": _shell(f"echo x > started; sleep {FOREVER}"),
    },
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[str(request.param)]


@pytest.fixture
def view(tmp_path: Path) -> BoxView:
    for name in ("repository", "tree"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "calc.py").write_text(BROKEN)
    return BoxView(repository=str(tmp_path / "repository"), tree=str(tmp_path / "tree"))


def agent_of(settings: AgentSettings) -> Agent:
    return registry.make_agent(settings, environment={"PATH": os.environ["PATH"]}, load_prices=lambda: PRICES)


def order_in(view: BoxView, *, wall_s: float = 60.0, idle_s: float = 60.0, role: Role = "fix") -> AgentOrder:
    folder = str(Path(view.tree).parent / "attempt-1")
    return AgentOrder("r", 1, "local", "Fix it.", wall_s, idle_s, 10, budget_usd=1.0, folder=folder, role=role)


def work(settings: AgentSettings, view: BoxView, order: AgentOrder) -> AgentCall:
    return asyncio.run(agent_of(settings).work(order, view, registry.make_box("bubblewrap"), PaperClerk()))


def processes_with(word: str) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes().decode("utf-8", "replace") if entry.name.isdigit() else ""
        except OSError:
            continue  # it ended while we looked
        if word in line:
            found.append(line)
    return found


def test_the_edit_lands_in_the_tree_and_nowhere_else(case: Case, view: BoxView) -> None:
    call = work(case["edits"], view, order_in(view))
    assert call.outcome == Done()
    assert call.last_message == "I did it"
    assert call.seconds > 0
    assert Path(view.tree, "calc.py").read_text() == FIXED
    assert Path(view.tree, "new/file.txt").read_text() == "x"
    assert Path(view.repository, "calc.py").read_text() == BROKEN
    assert not Path(view.repository, "new").exists()
    assert "I did it" in Path(view.tree).parent.joinpath("attempt-1/transcript.txt").read_text()


def test_a_failure_is_typed_and_its_traces_stay_in_the_tree(case: Case, view: BoxView) -> None:
    outcome = work(case["fails"], view, order_in(view)).outcome
    assert isinstance(outcome, Aborted)
    assert outcome.why == "crashed"
    assert Path(view.tree, "new.txt").exists()


def test_a_reviewer_changes_nothing(case: Case, view: BoxView) -> None:
    """And one that reports nothing has not done its work, whatever its exit code."""
    outcome = work(case["edits"], view, order_in(view, role="review")).outcome
    assert isinstance(outcome, Aborted)
    assert outcome.why in ("crashed", "invalid_output")
    assert Path(view.tree, "calc.py").read_text() == BROKEN
    assert not Path(view.tree, "new").exists()


def test_silence_ends_it(case: Case, view: BoxView) -> None:
    assert work(case["is silent"], view, order_in(view, idle_s=0.5)).outcome == Aborted("idle")


def test_time_ends_it(case: Case, view: BoxView) -> None:
    assert work(case["talks for ever"], view, order_in(view, wall_s=1.0)).outcome == Aborted("timeout")


def test_cancelling_leaves_no_process(case: Case, view: BoxView) -> None:
    os.mkfifo(Path(view.tree, "started"))  # opening it waits for the agent, which writes there
    seen: list[str] = []

    async def cancel_when_started() -> None:
        task = asyncio.create_task(
            agent_of(case["starts and stays"]).work(order_in(view), view, registry.make_box("bubblewrap"), PaperClerk())
        )
        await asyncio.to_thread(lambda: seen.append(Path(view.tree, "started").read_text()))
        assert processes_with(FOREVER)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert processes_with(FOREVER) == []

    asyncio.run(cancel_when_started())
    assert seen[0].strip() == "x"


def test_facts_spend_nothing(case: Case) -> None:
    settings = case["edits"]
    with ScriptedModel() as model:
        environment = {"PATH": os.environ["PATH"], "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "k"}
        facts = registry.make_agent(settings, environment=environment, load_prices=lambda: PRICES).read_facts()
    assert (facts.is_installed, facts.login) == (True, True)
    assert model.log == []
