"""`reknit demo`: a broken repository, a scripted agent, the real loop. Needs no key and no network."""

import os
import tempfile
from pathlib import Path

import click

from reknit.interfaces.cli.options.format import FORMAT
from reknit.interfaces.cli.output.echo import echo


@click.command()
@click.option("--hopeless", is_flag=True, help="an agent that never succeeds: the run ends DEFERRED")
@click.option("--cheats", is_flag=True, help="an agent that cheats in five ways: each is refused by what it did")
@click.option("--keep", type=click.Path(path_type=Path), help="create the repository in this folder")
@FORMAT
def demo(form: str, keep: Path | None, *, hopeless: bool, cheats: bool) -> int:
    """Watch a repair from red to receipt.

    The agent first deletes the failing test, which the gate refuses, then makes a wrong fix, then the right one.
    """
    from reknit.app.demo import HOPELESS, LEARNER, make_repository
    from reknit.app.demo_cheats import ATTEMPTS, CHEATS, TESTS
    from reknit.app.installation import installation
    from reknit.app.start.fix_tests import plan_fix_tests
    from reknit.interfaces.cli.launch.start import start_run

    parent = keep or Path(tempfile.mkdtemp(prefix="reknit-demo-"))
    repository = make_repository(parent.absolute(), TESTS if cheats else "")
    echo(f"a shop with a pricing bug: {repository}", err=True)
    story = CHEATS if cheats else HOPELESS if hopeless else LEARNER
    flags: dict[str, object] = {"fixer": "scripted", "agents": {"scripted": {"story": story}}}
    if cheats:
        flags["loop"] = {"attempts": ATTEMPTS, "fruitless": ATTEMPTS}
    place = installation(os.environ)
    return start_run(place, plan_fix_tests(place, repository, (), flags, again=True), form)
