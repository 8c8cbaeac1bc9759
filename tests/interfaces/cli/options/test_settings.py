"""An option overrides one setting for one run, under the name it has in `reknit.toml`."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from reknit.interfaces.cli.commands.fix import fix
from reknit.interfaces.cli.commands.review import vote
from reknit.interfaces.cli.main import cli
from reknit.interfaces.cli.options.settings import collect_settings, get_option_value, retype_command
from tests.tools.command_line import Answer, CommandLine

COMMANDS = {**fix.commands, "vote": vote}


def context_of(command: str, *words: str) -> click.Context:
    """Below the context of `reknit`: a command keeps the help option of its first context for good."""
    above = click.Context(cli, info_name="reknit", **cli.context_settings)
    return COMMANDS[command].make_context(command, list(words), parent=above)


def parsed(command: str, *words: str) -> dict[str, Any]:
    with context_of(command, *words):
        return collect_settings()


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
            "pr", ("--review-agent", "off", "--no-comment"),
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
        assert (get_option_value(context, "limit"), get_option_value(context, "dry_run")) == (3, True)


def test_settings_of_one_command_line_do_not_reach_the_next() -> None:
    assert parsed("tests", "--agent", "codex") == {"fixer": "codex"}
    assert parsed("tests") == {}
    assert click.get_current_context(silent=True) is None


Here = Callable[..., Answer]


def test_without_a_name_the_last_run_is_shown(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({})
    run = here("fix", "tests", "--format", "json", cwd=shop).ending["run"]
    for options in ((), ("--why",)):
        assert here("show", *options, cwd=shop).out == here("show", run, *options, cwd=shop).out
    assert here("resume", cwd=shop).err.startswith("error[no-run]: no run in this repository is interrupted or left")
    assert here("watch", cwd=shop).err.startswith("error[no-run]: no run in this repository is queued")


def again(*words: str, but: tuple[str, ...] = ("dry_run", "form"), more: str = "") -> str:
    root = click.Context(cli, info_name="reknit", **cli.context_settings)  # a command keeps its first `--help`
    above = click.Context(fix, root, info_name="fix")
    with fix.commands["issues"].make_context("issues", list(words), parent=above) as context:
        return retype_command(context, but=but, more=more)


def test_every_option_that_was_typed_is_there_and_no_other() -> None:
    typed = ("--dry-run", "--limit", "3", "--path", "a b", "--path", "web/*", "--again", "--budget", "2.5")
    assert again(*typed) == "reknit fix issues --limit 3 --again --path 'a b' --path 'web/*' --budget 2.5"
    assert again("--dry-run", "--format", "json") == "reknit fix issues"


def test_it_is_the_same_command() -> None:
    words = ["--tool", "o'tool", "--rule", "$(id)", "--weight", "minor", "--kind", "backend", "--challenger", "off"]
    assert shlex.split(again(*words)) == ["reknit", "fix", "issues", *words]


def test_more_may_be_added() -> None:
    assert again("--limit", "3", but=("limit",), more="--status all") == "reknit fix issues --status all"
