"""Options that many commands share: settings for one run, `--format`, `--allow` and the argument RUN."""

import os
import shlex
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from reknit.core.runs.spec import RunState

Command = TypeVar("Command", bound=Callable[..., Any])
_SETTINGS = "reknit.settings"
_GIVEN = "reknit.given"


def setting(
    name: str, path: str, value: Callable[[Any], object] = lambda given: given, **attributes: Any
) -> Callable[[Command], Command]:
    """Return an option that overrides a setting.

    `path`: the setting, such as `loop.budget_usd`. `value`: converts the given value to that of the setting.
    """

    def store(context: click.Context, parameter: click.Parameter, raw_value: Any) -> None:
        if raw_value is None or raw_value is False or raw_value == ():
            return
        context.meta.setdefault(_GIVEN, {})[parameter.name] = raw_value
        *parents, last = path.split(".")
        section = context.meta.setdefault(_SETTINGS, {})
        for parent in parents:
            section = section.setdefault(parent, {})
        section[last] = value(raw_value)

    return click.option(name, callback=store, expose_value=False, **attributes)


def collect_settings() -> dict[str, Any]:
    """Return the settings given on the command line, nested as in `reknit.toml`."""
    values: dict[str, Any] = click.get_current_context().meta.get(_SETTINGS, {})
    return values


def get_option_value(context: click.Context, name: str) -> object:
    """Return the value of any option, whether the command receives it or not."""
    return context.params[name] if name in context.params else context.meta[_GIVEN][name]


AGENT = setting("--agent", "fixer", help="the agent that edits the code  [default: `fixer` in the configuration]")
BUDGET = setting(
    "--budget", "loop.budget_usd", type=float, help="maximum cost of this run, in US dollars  [default: 5.00]"
)
BOX = setting(
    "--box", "box", type=click.Choice(["bubblewrap", "host"]), help="`host` is not a sandbox: only for code you trust"
)
NO_COMMENT = setting(
    "--no-comment", "forge.comment", lambda _: False, is_flag=True, help="do not comment on the pull request"
)


FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="text for people, json for programs"
)
REVIEW_FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json", "sarif", "github"]), default="text",
    help="text for people, json for programs, sarif or github (annotations) for the findings alone",
)  # fmt: skip


def run_argument(states: "Collection[RunState]" = (), metavar: str = "[RUN]") -> Callable[[Command], Command]:
    """Return the argument RUN. `states`: without a name, the last run in one of these states is meant."""

    def find_run(_context: click.Context, _parameter: click.Parameter, run_name: str | None) -> str:
        if run_name is not None:
            return run_name
        from reknit.app.installation import find_installation
        from reknit.app.runs.liveness import find_last_run

        return find_last_run(find_installation(os.environ), Path.cwd(), states)

    return click.argument("run", required=False, metavar=metavar, callback=find_run)


def _parse_waivers(rules: Sequence[str]) -> object:
    from reknit.core.gate.waiver import parse_typed  # late: most commands need no rules of the gate

    return tuple(map(parse_typed, rules))


ALLOW = setting(
    "--allow", "gate.allow", _parse_waivers, multiple=True, metavar="RULE:PATH",
    help="for this run, let this rule of the gate accept this file or pattern; may be given several times",
)  # fmt: skip


def retype_command(context: click.Context, *, but: Collection[str] = (), more: str = "") -> str:
    """Return the typed command with its arguments and options, quoted for a shell. `but`: parameters to leave out."""
    parameters = context.command.get_params(context)
    options = (option for option in parameters if isinstance(option, click.Option))
    words = [
        word
        for argument in parameters
        if isinstance(argument, click.Argument)
        for word in _argument_words(argument, context.params.get(argument.name or ""))
    ]
    words += [
        word
        for option in options
        if option.name not in (None, *but)
        and context.get_parameter_source(option.name or "") == ParameterSource.COMMANDLINE
        for word in _words(option, get_option_value(context, option.name or ""))
    ]
    return " ".join(part for part in (context.command_path, shlex.join(words), more) if part)


def _argument_words(argument: click.Argument, value: object) -> Iterator[str]:
    values = value if isinstance(value, tuple) else (value,)
    yield from (str(one) for one in (values if argument.nargs != 1 else values[:1]) if one)


def _words(option: click.Option, value: object) -> Iterator[str]:
    name = max(option.opts, key=len)
    if option.is_flag:
        yield name
        return
    for one in value if isinstance(value, tuple) else (value,):
        yield from (name, str(one))
