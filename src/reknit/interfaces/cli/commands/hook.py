"""`reknit hook`: reknit inside the window of your own agent."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from reknit.core.hook.command import AGENTS
from reknit.interfaces.cli.output.echo import echo


@click.group()
def hook() -> None:
    """Have your own agent go on until a test is fixed."""


def _which_files(command: Callable[..., Any]) -> Callable[..., Any]:
    project = click.option("--project", is_flag=True, help="The settings in this repository instead of your own.")
    agents = click.option(
        "--agent", "agents", multiple=True, type=click.Choice(list(AGENTS)), help="Only this agent; may be repeated."
    )
    return agents(project(command))


@hook.command()
@_which_files
def install(agents: tuple[str, ...], project: bool) -> int:
    """Add the Stop hook to the settings of your agents, by default of all that are installed.

    It does nothing until `reknit hook arm`. Everything else in the files stays as it is.
    """
    from reknit.app.hook.install import install_hooks
    from reknit.core.hook.install_text import change_lines

    changes = install_hooks(os.environ, agents, Path.cwd() if project else None)
    echo("\n".join(change_lines(changes, project=project)))
    return 0


@hook.command()
@_which_files
def uninstall(agents: tuple[str, ...], project: bool) -> int:
    """Remove the Stop hook from the settings of your agents, by default of all of them."""
    from reknit.app.hook.install import uninstall_hooks
    from reknit.core.hook.install_text import change_lines

    changes = uninstall_hooks(os.environ, agents, Path.cwd() if project else None)
    echo("\n".join(change_lines(changes, project=project)))
    return 0
