"""An option overrides one setting for one run, under the name it has in `reknit.toml`."""

from typing import Any

import click
import pytest

from reknit.interfaces.cli.commands.fix import fix
from reknit.interfaces.cli.commands.vote import vote
from reknit.interfaces.cli.main import cli
from reknit.interfaces.cli.options.settings import given, settings

COMMANDS = {**fix.commands, "vote": vote}


def context_of(command: str, *words: str) -> click.Context:
    """Below the context of `reknit`: a command keeps the help option of its first context for good."""
    above = click.Context(cli, info_name="reknit", **cli.context_settings)
    return COMMANDS[command].make_context(command, list(words), parent=above)


def parsed(command: str, *words: str) -> dict[str, Any]:
    with context_of(command, *words):
        return settings()


@pytest.mark.parametrize(
    ("command", "words", "expected"),
    [
        pytest.param("tests", (), {}, id="none given"),
        pytest.param(
            "tests", ("--budget", "2", "--attempts", "1"), {"loop": {"attempts": 1, "budget_usd": 2.0}}, id="section"
        ),
        pytest.param("tests", ("--budget", "0"), {"loop": {"budget_usd": 0.0}}, id="zero is given too"),
        pytest.param("tests", ("--agent", "codex", "--box", "host"), {"fixer": "codex", "box": "host"}, id="top level"),
        pytest.param(
            "pr", ("--reviewer", "off", "--no-comment"),
            {"checks": {"review": {"agent": "off"}}, "forge": {"comment": False}}, id="nested",
        ),
        pytest.param("issues", ("--challenger", "off"), {"challenger": {"enabled": False}}, id="switched off"),
        pytest.param("issues", ("--challenger", "gemini"), {"challenger": {"agent": "gemini"}}, id="another agent"),
        pytest.param("vote", ("--agents", "claude, codex"), {"vote": {"agents": ("claude", "codex")}}, id="a list"),
    ],
)  # fmt: skip
def test_options_become_settings(command: str, words: tuple[str, ...], expected: dict[str, Any]) -> None:
    assert parsed(command, *words) == expected


def test_the_value_of_every_option_can_be_read() -> None:
    with context_of("issues", "--limit", "3", "--dry-run") as context:
        assert (given(context, "limit"), given(context, "dry_run")) == (3, True)


def test_settings_of_one_command_line_do_not_reach_the_next() -> None:
    assert parsed("tests", "--agent", "codex") == {"fixer": "codex"}
    assert parsed("tests") == {}
    assert click.get_current_context(silent=True) is None
