"""Commands about the installation: `reknit config`, `init`, `doctor` and `demo`."""

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reknit.core.text.format import render_line
from reknit.interfaces.cli.options.settings import FORMAT
from reknit.interfaces.cli.output.echo import echo, print_coloured
from reknit.interfaces.cli.output.lines import terminal_columns

if TYPE_CHECKING:
    from reknit.app.config.load import Config


@click.group()
def config() -> None:
    """Show or check the effective configuration."""


@config.command()
def show() -> int:
    """Print every setting with its effective value, as JSON."""
    echo(json.dumps(_load().model_dump(mode="json"), indent=2))
    return 0


@config.command()
def validate() -> int:
    """Exit 0 if the configuration and those of the projects are valid, 2 with file and line if not."""
    from reknit.adapters.git.user_repository import UserRepository
    from reknit.app.installation import find_installation
    from reknit.app.start.projects import check_projects

    check_projects(find_installation(os.environ), UserRepository.find(str(Path.cwd())), _load())
    echo("the configuration is valid")
    return 0


@config.command()
def schema() -> int:
    """Print the JSON schema of reknit.toml, for editors."""
    from reknit.app.config.load import Config

    echo(json.dumps(Config.model_json_schema(), indent=2))
    return 0


@click.command()
def init() -> int:
    """Detect agent and tests and write reknit.toml. It is optional: reknit works without it."""
    from reknit.app.initial_config import make_initial_config
    from reknit.app.installation import find_installation
    from reknit.core.errors import UsageError
    from reknit.core.hook.exports import FOLDER, IGNORE

    path, text = make_initial_config(find_installation(os.environ), Path.cwd())
    if path.exists():
        raise UsageError("init", f"{path.name} already exists", help="`reknit config show` prints the settings")
    path.write_text(text)
    echo(f"wrote {path.name}:\n")
    echo("".join(f"  {line}\n" for line in text.splitlines()))
    if (path.parent / FOLDER).is_dir():
        lines = "\\n".join(IGNORE)
        echo(f"  ignore    windows of your agent write their state there: printf '{lines}\\n' >> .gitignore")
    echo("  next      reknit doctor    then: reknit fix tests")
    return 0


def _load() -> "Config":
    from reknit.adapters.git.user_repository import UserRepository
    from reknit.app.config.load import load

    return load(Path(UserRepository.find(str(Path.cwd())).root), {}, os.environ)


@click.command()
@click.option("--probes", is_flag=True, help="list every probe of the box")
@click.option("--compare", is_flag=True, help="also run the tests outside the box, and compare the results")
@click.option("--agent", help="test this agent  [default: `fixer` and `fallback` in the configuration]")
@FORMAT
def doctor(form: str, agent: str | None, *, probes: bool, compare: bool) -> int:
    """Test git, the box, the agents and the tests of this repository. Calls no model."""
    import json

    from reknit.app.doctor import diagnose
    from reknit.app.installation import find_installation

    lines = diagnose(find_installation(os.environ), Path.cwd(), every_probe=probes, compare=compare, agent=agent)
    worst = max((line.exit_code for line in lines), default=0)
    if form == "json":
        rows = [{"mark": line.mark, "part": line.part, "text": line.text, "fix": line.fix} for line in lines]
        echo(json.dumps({"schema": 1, "parts": rows, "exit_code": worst}))
        return worst
    for line in lines:
        for text in render_line(f"  {line.mark:<5} {line.part:<9} ", line.text, terminal_columns()):
            print_coloured(text)
        for text in render_line("          fix: ", line.fix, terminal_columns()) if line.fix else ():
            echo(text)
    return worst


@click.command()
@click.option("--hopeless", is_flag=True, help="an agent that never succeeds: the run ends DEFERRED")
@click.option("--cheats", is_flag=True, help="an agent that cheats in five ways: each is refused by what it did")
@click.option("--keep", type=click.Path(path_type=Path), help="create the repository in this folder")
@FORMAT
def demo(form: str, keep: Path | None, *, hopeless: bool, cheats: bool) -> int:
    """Watch a repair from red to receipt.

    The agent first deletes the failing test, which the gate refuses, then makes a wrong fix, then the right one.
    """
    from reknit.app.demo import ATTEMPTS, CHEATS, HOPELESS, LEARNER, TESTS, make_repository
    from reknit.app.installation import find_installation
    from reknit.app.start.fix_tests import plan_fix_tests
    from reknit.interfaces.cli.launch.start import start_run

    parent = keep or Path(tempfile.mkdtemp(prefix="reknit-demo-"))
    repository = make_repository(parent.absolute(), TESTS if cheats else "")
    echo(f"a shop with a pricing bug: {repository}", err=True)
    story = CHEATS if cheats else HOPELESS if hopeless else LEARNER
    flags: dict[str, object] = {"fixer": "scripted", "agents": {"scripted": {"story": story}}}
    if cheats:
        flags["loop"] = {"attempts": ATTEMPTS, "fruitless": ATTEMPTS}
    installation = find_installation(os.environ)
    return start_run(installation, plan_fix_tests(installation, repository, (), flags, again=True), form)
