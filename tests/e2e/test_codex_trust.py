"""Codex skips a hook that nobody has trusted: `reknit doctor` finds out, and agrees with codex about each hash."""

from pathlib import Path

import pytest

from reknit.app.hook.health import agent_sources
from reknit.core.hook.health import hook_problems
from tests.e2e.agent_windows import WINDOWS, Environment, add_to_codex, run, succeed, trust_in_codex

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(200)]


def skipped(environment: Environment, folder: Path) -> list[str]:
    problems = [problem for agent in agent_sources(environment, folder) for problem in hook_problems(agent)]
    return [problem.text for problem in problems if "codex skips our hook" in problem.text]


def test_a_hook_is_skipped_without_a_word_until_a_person_trusts_it(environment: Environment, shop: Path) -> None:
    codex = WINDOWS["codex"]
    codex.configure(environment, shop)
    add_to_codex(environment)
    for more in ((), ("--project",)):
        succeed(["reknit", "hook", "install", "--agent", "codex", *more], environment, shop)
    ended = codex.open(f"{codex.typed} BUG-001 tests/test_pricing.py", [{"text": "Done."}], environment, shop)
    assert len(ended.heard) == 1
    assert "nothing is armed here" in run(["reknit", "hook", "status"], environment, folder=shop).stderr
    assert len(skipped(environment, shop)) == 3
    assert len(trust_in_codex(environment, shop)) == 4
    assert skipped(environment, shop) == []


def test_a_codex_without_hooks_is_found(environment: Environment, shop: Path) -> None:
    WINDOWS["codex"].configure(environment, shop)
    add_to_codex(environment)
    trust_in_codex(environment, shop)
    codex = WINDOWS["codex"].cast.binary()
    for action, fixes in (("disable", ["`codex features enable hooks`"]), ("enable", [])):
        succeed([codex, "features", action, "hooks"], environment)
        problems = [problem.fix for agent in agent_sources(environment, shop) for problem in hook_problems(agent)]
        assert problems == fixes
