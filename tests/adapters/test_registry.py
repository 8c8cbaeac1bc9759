"""Adapters by name: ours, those of others, and a helpful word for those that are none."""

from pathlib import Path

import pytest

from reknit.adapters import registry
from reknit.adapters.agents.cli_agent import CliAgent
from reknit.adapters.gateway.server import ModelGateway
from reknit.adapters.github.api.credentials import UserToken
from reknit.adapters.github.forge import GitHubForge
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import LoginNeededError, UsageError
from reknit.core.forge.values import ForgePlace
from reknit.core.gateway.access import ModelAccess
from tests.tools.gateway_client import PRICES, PaperClerk

OTHERS = """
class Aider:
    def __init__(self, settings, *, environment, make_gateway):
        self.given = (settings, environment, make_gateway)

class Podman:
    name = "podman"

class Gitea:
    def __init__(self, place, environment, *, token_variable):
        self.given = (place, environment, token_variable)
"""
GITEA = ForgePlace("gitea", "https://gitea.example/api/v1", "acme/shop", "GITEA_TOKEN")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of somebody else, with three entry points."""
    (tmp_path / "reknit_others.py").write_text(OTHERS)
    info = tmp_path / "reknit_others-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: reknit-others\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[reknit.adapters]\nagent.aider = reknit_others:Aider\nbox.podman = reknit_others:Podman\n"
        "forge.gitea = reknit_others:Gitea\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))


def test_our_own_by_name() -> None:
    for kind in ("claude", "codex", "gemini"):
        agent = registry.make_agent(AgentSettings("a", kind), environment={}, load_prices=lambda: PRICES)
        assert isinstance(agent, CliAgent)
        assert repr(kind) in agent.read_facts().detail
    assert [registry.make_box(name).name for name in registry.BOXES] == list(registry.BOXES)


@pytest.mark.usefixtures("installed")
def test_those_of_others_by_entry_point() -> None:
    settings = AgentSettings("a", "aider")
    agent = registry.make_agent(settings, environment={"A": "b"}, load_prices=lambda: PRICES)
    assert type(agent).__name__ == "Aider"
    *given, make_gateway = vars(agent)["given"]
    assert given == [settings, {"A": "b"}]
    access = ModelAccess("anthropic", "http://127.0.0.1:9", "k", "a", budget_usd=1.0, max_requests=1)
    assert isinstance(make_gateway(access, PaperClerk()), ModelGateway)
    assert registry.make_box("podman").name == "podman"


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        pytest.param("cluade", "did you mean 'claude'?", id="one of ours"),
        pytest.param("aiderr", "did you mean 'aider'?", id="one of others"),
        pytest.param(
            "podman", "available: aider, any_command, claude, codex, gemini, scripted", id="a name of another port"
        ),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(kind: str, hint: str) -> None:
    with pytest.raises(UsageError) as problem:
        registry.make_agent(AgentSettings("a", kind), environment={}, load_prices=lambda: PRICES)
    assert problem.value.help == hint
    assert problem.value.name == "unknown-agent"
    assert repr(kind) in problem.value.message


def test_our_own_forge_with_the_token_of_the_variable_that_was_named() -> None:
    place = ForgePlace("github", "https://api.github.com", "acme/shop", "SHOP_TOKEN")
    forge = registry.make_forge(place, {"SHOP_TOKEN": "one", "GH_TOKEN": "other"})
    assert isinstance(forge, GitHubForge)
    assert forge.credential() == GitHubForge(place, UserToken("one")).credential()
    with pytest.raises(LoginNeededError, match="SHOP_TOKEN is not set"):
        registry.make_forge(place, {"GH_TOKEN": "other"})


@pytest.mark.usefixtures("installed")
def test_a_forge_of_others_is_told_the_place_and_the_variable() -> None:
    forge = registry.make_forge(GITEA, {"A": "b"})
    assert type(forge).__name__ == "Gitea"
    assert vars(forge)["given"] == (GITEA, {"A": "b"}, "GITEA_TOKEN")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        pytest.param("githbu", "did you mean 'github'?", id="a slip of the pen"),
        pytest.param("podman", "available: gitea, github", id="a name of another port"),
    ],
)
def test_an_unknown_forge_is_answered_with_those_there_are(kind: str, hint: str) -> None:
    with pytest.raises(UsageError) as problem:
        registry.make_forge(ForgePlace(kind, "https://h", "a/b"), {})
    assert (problem.value.name, problem.value.help) == ("unknown-forge", hint)
