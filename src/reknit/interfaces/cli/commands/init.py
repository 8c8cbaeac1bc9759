"""`reknit init`: writes what was detected to reknit.toml, and prints it."""

import os
from pathlib import Path

import click

from reknit.interfaces.cli.output.echo import echo


@click.command()
def init() -> int:
    """Detect agent and tests and write reknit.toml. It is optional: reknit works without it."""
    from reknit.app.initial_config import initial_config
    from reknit.app.installation import installation
    from reknit.core.errors import UsageProblem

    path, text = initial_config(installation(os.environ), Path.cwd())
    if path.exists():
        raise UsageProblem("init", f"{path.name} already exists", help="`reknit config show` prints the settings")
    path.write_text(text)
    echo(f"wrote {path.name}:\n")
    echo("".join(f"  {line}\n" for line in text.splitlines()))
    echo("  next      reknit doctor    then: reknit fix tests")
    return 0
