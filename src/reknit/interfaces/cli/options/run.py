"""The argument RUN of commands that only look at a run or continue it; by default the last one here."""

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, TypeVar

import click

from reknit.core.runs.spec import RunState

Command = TypeVar("Command", bound=Callable[..., Any])


def run_argument(states: Collection[RunState] = (), metavar: str = "[RUN]") -> Callable[[Command], Command]:
    """`states`: the last run in one of them is meant if none is named."""

    def named_or_last(_context: click.Context, _parameter: click.Parameter, given: str | None) -> str:
        if given is not None:
            return given
        from reknit.app.installation import installation
        from reknit.app.runs.last import last_run

        return last_run(installation(os.environ), Path.cwd(), states)

    return click.argument("run", required=False, metavar=metavar, callback=named_or_last)
