"""Adapters by name: ours, those of others, and a helpful word for those that are none."""

from pathlib import Path

import pytest

from reknit.adapters import registry
from reknit.adapters.agents.cli_agent import CliAgent
from reknit.adapters.gateway.model_gateway import ModelGateway
from reknit.core.agent_call import AgentSettings
from reknit.core.errors import UsageProblem
from reknit.core.passage import Passage
from tests.tools.gateway_client import PRICES, PaperClerk

OTHERS = """
class Aider:
    def __init__(self, settings, *, environment, make_gateway):
        self.given = (settings, environment, make_gateway)

class Podman:
    name = "podman"
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of somebody else, with two entry points."""
    (tmp_path / "reknit_others.py").write_text(OTHERS)
    info = tmp_path / "reknit_others-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: reknit-others\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[reknit.adapters]\nagent.aider = reknit_others:Aider\nbox.podman = reknit_others:Podman\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))


def test_our_own_by_name() -> None:
    for kind in ("claude", "codex", "gemini"):
        agent = registry.agent(AgentSettings("a", kind), environment={}, prices=PRICES)
        assert isinstance(agent, CliAgent)
        assert repr(kind) in agent.facts().detail
    assert [registry.box(name).name for name in registry.BOXES] == list(registry.BOXES)


@pytest.mark.usefixtures("installed")
def test_those_of_others_by_entry_point() -> None:
    settings = AgentSettings("a", "aider")
    agent = registry.agent(settings, environment={"A": "b"}, prices=PRICES)
    assert type(agent).__name__ == "Aider"
    *given, make_gateway = vars(agent)["given"]
    assert given == [settings, {"A": "b"}]
    passage = Passage("anthropic", "http://127.0.0.1:9", "k", "a", budget_usd=1.0, max_requests=1)
    assert isinstance(make_gateway(passage, PaperClerk()), ModelGateway)
    assert registry.box("podman").name == "podman"


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        pytest.param("cluade", "did you mean 'claude'?", id="one of ours"),
        pytest.param("aiderr", "did you mean 'aider'?", id="one of others"),
        pytest.param(
            "podman", "there are: aider, any_command, claude, codex, gemini, scripted", id="a name of another port"
        ),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(kind: str, hint: str) -> None:
    with pytest.raises(UsageProblem) as problem:
        registry.agent(AgentSettings("a", kind), environment={}, prices=PRICES)
    assert problem.value.help == hint
    assert problem.value.name == "unknown-agent"
    assert repr(kind) in problem.value.what
