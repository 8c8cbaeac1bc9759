"""A command is printed again with all that was typed, and works so in a shell."""

import shlex

import click

from reknit.interfaces.cli.commands.fix import fix
from reknit.interfaces.cli.main import cli
from reknit.interfaces.cli.options.retype import typed_again


def again(*words: str, but: tuple[str, ...] = ("dry_run", "form"), more: str = "") -> str:
    root = click.Context(cli, info_name="reknit", **cli.context_settings)  # a command keeps its first `--help`
    above = click.Context(fix, root, info_name="fix")
    with fix.commands["issues"].make_context("issues", list(words), parent=above) as context:
        return typed_again(context, but=but, more=more)


def test_every_option_that_was_typed_is_there_and_no_other() -> None:
    typed = ("--dry-run", "--limit", "3", "--path", "a b", "--path", "web/*", "--again", "--budget", "2.5")
    assert again(*typed) == "reknit fix issues --limit 3 --again --path 'a b' --path 'web/*' --budget 2.5"
    assert again("--dry-run", "--format", "json") == "reknit fix issues"


def test_it_is_the_same_command() -> None:
    words = ["--tool", "o'tool", "--rule", "$(id)", "--weight", "minor", "--kind", "backend", "--challenger", "off"]
    assert shlex.split(again(*words)) == ["reknit", "fix", "issues", *words]


def test_more_may_be_added() -> None:
    assert again("--limit", "3", but=("limit",), more="--status all") == "reknit fix issues --status all"
