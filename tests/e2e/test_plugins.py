"""The plugins as they are shipped: the agents' own programs accept them, and their commands may run."""

import json
from pathlib import Path

import pytest

from reknit import __version__
from tests.e2e.agent_windows import PLUGINS, WINDOWS, AgentWindow, Environment, run, succeed
from tests.tools import agent_binaries
from tests.tools.scripted_model import Turn

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
CLAUDE, GEMINI, CODEX = PLUGINS / "claude-code", PLUGINS / "gemini", PLUGINS / "codex"


def test_claude_accepts_the_marketplace_and_the_plugin(environment: Environment) -> None:
    claude = agent_binaries.claude()
    for file in ("marketplace.json", "plugin.json"):
        done = run([claude, "plugin", "validate", str(CLAUDE / ".claude-plugin" / file)], environment)
        assert (done.returncode, "Validation passed" in done.stdout) == (0, True), done.stdout + done.stderr
        assert "with warnings" not in done.stdout
    WINDOWS["claude"].install(environment, Path())
    [plugin] = json.loads(succeed([claude, "plugin", "list", "--json"], environment))
    assert (plugin["id"], plugin["version"], plugin["enabled"]) == ("reknit@reknit", __version__, True)


def test_gemini_accepts_the_extension(environment: Environment) -> None:
    done = run([agent_binaries.gemini(), "extensions", "validate", str(GEMINI)], environment)
    assert done.returncode == 0, done.stderr
    assert "successfully validated" in done.stdout + done.stderr


def test_codex_accepts_the_marketplace_and_the_plugin(environment: Environment, shop: Path) -> None:
    window = WINDOWS["codex"]
    window.configure(environment, shop)
    window.install(environment, shop)
    listed = succeed([agent_binaries.codex(), "plugin", "list"], environment)
    assert ["reknit@reknit", "installed,", "enabled", __version__] in [line.split()[:4] for line in listed.splitlines()]


SKILLS = [
    pytest.param("fix-issues --limit=3", "fix issues --detach", "--limit=3", "error[", id="fix-issues"),
    pytest.param("review", "review --detach", "", "error[", id="review"),
    pytest.param("reknit-status", "hook status; reknit runs", "", "nothing is armed here", id="status"),
]


@pytest.mark.parametrize(("typed", "command", "given", "printed"), SKILLS)
def test_the_command_that_a_skill_names_may_run_and_its_answer_is_seen(
    typed: str, command: str, given: str, printed: str, environment: Environment, shop: Path
) -> None:
    """In a repository without a forge and issues: what is printed shows that it ran, and nothing is started."""
    line = f"reknit {command} {given}".rstrip()
    asked, answered = commanded(WINDOWS["claude"], f"/reknit:{typed}", line, environment, shop)
    assert f"Run once: `{line}" in asked
    assert (printed in asked, printed in answered) == (False, True), answered[-2000:]


def test_a_plan_is_made_only_if_the_person_lets_the_command_run(environment: Environment, shop: Path) -> None:
    """Unlike the others it may be told `--auto-handoff` and `--confirm-burn-everything`, which are a person's word."""
    line = "reknit plan --yes milestone --cap=never"
    asked, answered = commanded(WINDOWS["claude"], "/reknit:reknit-plan milestone --cap=never", line, environment, shop)
    assert f"Run once, with a time limit of ten minutes: `{line}`" in asked
    assert "requires approval" in answered, answered[-2000:]


def commanded(window: AgentWindow, typed: str, line: str, environment: Environment, shop: Path) -> list[str]:
    """What the model hears before and after it runs this line, as the skill has it."""
    window.configure(environment, shop)
    window.install(environment, shop)
    turns: list[Turn] = [window.cast.shell(line), {"text": "Done."}]
    ended = window.open(typed, turns, environment, shop)
    assert ended.told == []
    return ended.heard


def test_a_skill_of_codex_is_told_what_was_typed_and_the_model_never_takes_it_by_itself(
    environment: Environment, shop: Path
) -> None:
    line = "reknit hook status; reknit runs"
    asked, answered = commanded(WINDOWS["codex"], "$reknit:reknit-status", line, environment, shop)
    assert f"Run once, outside your sandbox: `{line}`" in asked
    assert "nothing is armed here" in answered, answered[-2000:]
    assert "reknit:fix-test" not in answered  # no skill is offered that was not typed
