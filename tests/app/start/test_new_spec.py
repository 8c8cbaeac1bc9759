"""What every command freezes in the same way."""

from pathlib import Path

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import load
from reknit.app.start.new_spec import new_spec
from reknit.core.agents.call import AgentSettings
from reknit.core.testing.command import TestCommand

CLAUDE, CODEX = AgentSettings("claude", "claude"), AgentSettings("codex", "codex")
TESTS = TestCommand("pytest", ("pytest",), "junit")


def test_the_first_agent_works_and_the_others_take_over(shop: Path) -> None:
    (shop / ".gitignore").write_text("generated\n")
    (shop / "generated").write_text("x")
    repository = UserRepository.find(str(shop))
    flags = {
        "box": "host",
        "loop": {"budget_usd": 2.0},
        "workspace": {"setup": "make", "carry": ["generated"]},
    }
    config = load(None, flags, {})
    spec, left_out = new_spec("fix tests", repository, config, "b" * 40, [TESTS], [CLAUDE, CODEX])
    assert (spec.kind, spec.base, spec.tests, spec.agents) == ("fix tests", "b" * 40, TESTS, (CLAUDE, CODEX))
    assert (spec.box, spec.limits.budget_usd, spec.workspace.setup) == ("host", 2.0, "make")
    assert (spec.workspace.carry, left_out) == (("generated",), ())
    again, _ = new_spec("fix tests", repository, config, "b" * 40, [TESTS], [CLAUDE])
    assert again.run_id != spec.run_id
    assert again.fallback == ()
