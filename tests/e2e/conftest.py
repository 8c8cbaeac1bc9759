"""What the scenes share: each real CLI, a room that is left empty, and the table of outcomes as they are seen."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reknit.core.agent_reports.values import Review
from reknit.core.agents.call import AgentCall, Done, RateLimited, Unusable, to_outcome_word
from reknit.core.box import BoxView
from tests.e2e.agent_windows import Environment, person
from tests.e2e.real_agents import CASTS, Cast, make_room, processes_below
from tests.tools.command_line import FRESH

OUTCOMES_ENV = "REKNIT_OUTCOMES"
"""Names the folder that gets the table, a JSON file a process; rows are merged with those of earlier runs."""

Recorder = Callable[[str, str, AgentCall], AgentCall]
"""Agent, situation, and the call it came to."""


@pytest.fixture(autouse=True)
def _a_new_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FRESH, "1")


@pytest.fixture(params=CASTS)
def cast(request: pytest.FixtureRequest) -> Cast:
    return CASTS[str(request.param)]


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return person(tmp_path, os.environ["PATH"])


@pytest.fixture
def view(tmp_path: Path) -> Iterator[BoxView]:
    yield make_room(tmp_path)
    assert processes_below(tmp_path) == []


def reaction_to(call: AgentCall) -> str:
    outcome = call.outcome
    if isinstance(outcome, Done) and isinstance(call.report, Review):
        return "takes the report: an agent's word, no proof"
    if isinstance(outcome, Done):
        return "judges the change; no word of the agent counts"
    if isinstance(outcome, RateLimited):
        return "waits durably, or falls over to the next agent; no attempt is used up"
    if isinstance(outcome, Unusable):
        tries = "tries three times, then " if outcome.why == "auth" else ""
        return f"{tries}takes the next agent; without one the run ends BLOCKED"
    if outcome.why == "budget":
        return "ends the run OVER_BUDGET"
    if outcome.why == "idle":
        return "judges what it changed; if nothing, tries again, counted apart"
    return "counts an attempt; the change is still judged"


@pytest.fixture(scope="session")
def outcome_rows() -> Iterator[dict[tuple[str, str], dict[str, str]]]:
    rows: dict[tuple[str, str], dict[str, str]] = {}
    yield rows
    if target := os.environ.get(OUTCOMES_ENV):
        file = Path(target) / f"{os.environ.get('PYTEST_XDIST_WORKER', 'all')}.json"
        file.parent.mkdir(exist_ok=True)
        before = json.loads(file.read_text()) if file.exists() else []
        merged = {(row["situation"], row["agent"]): row for row in before} | rows
        file.write_text(json.dumps([merged[key] for key in sorted(merged)], indent=1) + "\n")


@pytest.fixture
def record(outcome_rows: dict[tuple[str, str], dict[str, str]]) -> Recorder:
    def note(agent: str, situation: str, call: AgentCall) -> AgentCall:
        told = {"outcome": to_outcome_word(call.outcome), "reknit": reaction_to(call)}
        outcome_rows[(situation, agent)] = {"situation": situation, "agent": agent, **told}
        return call

    return note
