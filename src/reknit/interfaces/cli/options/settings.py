"""Options that override a setting of the configuration for one run."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])
_SETTINGS = "reknit.settings"
_GIVEN = "reknit.given"


def setting(
    name: str, path: str, value: Callable[[Any], object] = lambda given: given, **attributes: Any
) -> Callable[[Command], Command]:
    """`path`: the setting, such as `loop.budget_usd`; `value`: from what was given to what is set."""

    def store(context: click.Context, parameter: click.Parameter, given: Any) -> None:
        if given is None or given is False or given == ():
            return
        context.meta.setdefault(_GIVEN, {})[parameter.name] = given
        *parents, last = path.split(".")
        section = context.meta.setdefault(_SETTINGS, {})
        for parent in parents:
            section = section.setdefault(parent, {})
        section[last] = value(given)

    return click.option(name, callback=store, expose_value=False, **attributes)


def settings() -> dict[str, Any]:
    """Those given on the command line, nested as in `reknit.toml`."""
    found: dict[str, Any] = click.get_current_context().meta.get(_SETTINGS, {})
    return found


def given(context: click.Context, name: str) -> object:
    """The value of any option, whether the command receives it or not."""
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
