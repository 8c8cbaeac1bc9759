"""What `reknit doctor` says about hooks, on the files that the real agents write: skipped, switched off, doubled."""

from pathlib import Path

import pytest

from reknit.app.hook.install import list_agent_sources
from reknit.core.hook.health import HookProblem, find_hook_problems
from tests.e2e.agent_windows import WINDOWS, Environment, add_to_codex, run, succeed, trust_in_codex

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(200)]


def problems(environment: Environment, folder: Path) -> list[HookProblem]:
    return [problem for agent in list_agent_sources(environment, folder) for problem in find_hook_problems(agent)]


@pytest.mark.parametrize("agent", WINDOWS)
def test_a_plugin_beside_a_settings_hook_is_found(agent: str, environment: Environment, shop: Path) -> None:
    WINDOWS[agent].configure(environment, shop)
    WINDOWS[agent].install(environment, shop)
    assert problems(environment, shop) == []
    succeed(["reknit", "hook", "install", "--agent", agent], environment)
    assert f"`reknit hook uninstall --agent {agent}`" in [problem.fix for problem in problems(environment, shop)]


def test_a_hook_is_skipped_without_a_word_until_a_person_trusts_it(environment: Environment, shop: Path) -> None:
    codex = WINDOWS["codex"]
    codex.configure(environment, shop)
    add_to_codex(environment)
    for more in ((), ("--project",)):
        succeed(["reknit", "hook", "install", "--agent", "codex", *more], environment, shop)
    ended = codex.open(f"{codex.typed} BUG-001 tests/test_pricing.py", [{"text": "Done."}], environment, shop)
    assert len(ended.heard) == 1
    assert "nothing is armed here" in run(["reknit", "hook", "status"], environment, folder=shop).stderr
    assert skipped(environment, shop) == 3
    assert len(trust_in_codex(environment, shop)) == 4
    assert skipped(environment, shop) == 0


def skipped(environment: Environment, folder: Path) -> int:
    return sum("codex skips our hook" in problem.text for problem in problems(environment, folder))


def test_a_codex_without_hooks_is_found(environment: Environment, shop: Path) -> None:
    WINDOWS["codex"].configure(environment, shop)
    add_to_codex(environment)
    trust_in_codex(environment, shop)
    codex = WINDOWS["codex"].cast.binary()
    for action, fixes in (("disable", ["`codex features enable hooks`"]), ("enable", [])):
        succeed([codex, "features", action, "hooks"], environment)
        assert [problem.fix for problem in problems(environment, shop)] == fixes
