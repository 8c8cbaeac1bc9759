"""`reknit fix`: repair what fails and land what could be proven."""

import os
from pathlib import Path
from typing import Any

import click

from reknit.interfaces.cli.talk import FORMAT


@click.group()
def fix() -> None:
    """Repair what fails and land what could be proven on a branch `reknit/RUN`."""


@fix.command("tests")
@click.argument("tests", nargs=-1, metavar="[ID]…")
@click.option("--agent", help="who edits the code; default: `fixer` of the configuration")
@click.option("--attempts", type=click.IntRange(1, 10), help="attempts on one test: local, search, deep  [default: 3]")
@click.option("--budget", type=float, help="the most this run may spend, in US dollars  [default: 5.00]")
@click.option("--box", type=click.Choice(["bubblewrap", "host"]), help="`host` has no walls: only for code you trust")
@click.option("--again", is_flag=True, help="call agents even if a run already gave up on exactly this tree")
@click.option("--queue", is_flag=True, help="leave the run to a `reknit worker`")
@FORMAT
def tests(
    tests: tuple[str, ...], agent: str | None, attempts: int | None, budget: float | None, box: str | None, form: str,
    *, again: bool, queue: bool,
) -> int:  # fmt: skip
    """Repair the tests named by ID, or every red test. Your working tree is not touched."""
    from reknit.app.installation import installation
    from reknit.interfaces.cli.run_command import fix_tests

    loop = {key: value for key, value in (("attempts", attempts), ("budget_usd", budget)) if value is not None}
    flags: dict[str, Any] = {"loop": loop} if loop else {}
    flags |= {key: value for key, value in (("fixer", agent), ("box", box)) if value is not None}
    return fix_tests(installation(os.environ), Path.cwd(), tests, flags, form, again=again, queue=queue)
