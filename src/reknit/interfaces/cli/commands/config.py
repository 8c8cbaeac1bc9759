"""`reknit config` and `reknit init`: the effective configuration, whether it is valid, and a first reknit.toml."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reknit.interfaces.cli.output.echo import echo

if TYPE_CHECKING:
    from reknit.app.config.load import Config


@click.group()
def config() -> None:
    """Show or check the effective configuration."""


@config.command()
def show() -> int:
    """Every setting with its effective value, as JSON."""
    echo(json.dumps(_load().model_dump(mode="json"), indent=2))
    return 0


@config.command()
def validate() -> int:
    """Exit 0 if the configuration and those of the projects are valid, 2 with file and line if not."""
    from reknit.adapters.git.user_repository import UserRepository
    from reknit.app.installation import installation
    from reknit.app.start.projects import check_projects

    check_projects(installation(os.environ), UserRepository.find(str(Path.cwd())), _load())
    echo("the configuration is valid")
    return 0


@config.command()
def schema() -> int:
    """The JSON schema of reknit.toml, for editors."""
    from reknit.app.config.load import Config

    echo(json.dumps(Config.model_json_schema(), indent=2))
    return 0


@click.command()
def init() -> int:
    """Detect agent and tests and write reknit.toml. It is optional: reknit works without it."""
    from reknit.app.initial_config import initial_config
    from reknit.app.installation import installation
    from reknit.core.errors import UsageProblem
    from reknit.core.hook.exports import FOLDER, IGNORE

    path, text = initial_config(installation(os.environ), Path.cwd())
    if path.exists():
        raise UsageProblem("init", f"{path.name} already exists", help="`reknit config show` prints the settings")
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
