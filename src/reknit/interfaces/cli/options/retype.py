"""Rebuilds the command that was typed: a suggestion that drops an option would do something else."""

import shlex
from collections.abc import Collection, Iterator

import click
from click.core import ParameterSource

from reknit.interfaces.cli.options.settings import given


def typed_again(context: click.Context, *, but: Collection[str] = (), more: str = "") -> str:
    """With every option that was given, quoted for a shell; `but`: parameters to leave out."""
    options = (option for option in context.command.get_params(context) if isinstance(option, click.Option))
    words = [
        word
        for option in options
        if option.name not in (None, *but)
        and context.get_parameter_source(option.name or "") == ParameterSource.COMMANDLINE
        for word in _words(option, given(context, option.name or ""))
    ]
    return " ".join(part for part in (context.command_path, shlex.join(words), more) if part)


def _words(option: click.Option, value: object) -> Iterator[str]:
    name = max(option.opts, key=len)
    if option.is_flag:
        yield name
        return
    for one in value if isinstance(value, tuple) else (value,):
        yield from (name, str(one))
