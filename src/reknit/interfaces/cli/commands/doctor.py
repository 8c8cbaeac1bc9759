"""`reknit doctor`: tests what a run depends on, and says how to fix what fails."""

import os
from pathlib import Path

import click

from reknit.interfaces.cli.options.format import FORMAT
from reknit.interfaces.cli.output.echo import echo


@click.command()
@click.option("--probes", is_flag=True, help="list every probe of the box")
@click.option("--compare", is_flag=True, help="also run the tests outside the box, and compare the results")
@click.option("--agent", help="test this agent  [default: `fixer` and `fallback` in the configuration]")
@FORMAT
def doctor(form: str, agent: str | None, *, probes: bool, compare: bool) -> int:
    """Test git, the box, the agents and the tests of this repository. Calls no model."""
    import json

    from reknit.app.doctor import diagnose
    from reknit.app.installation import installation

    lines = diagnose(installation(os.environ), Path.cwd(), every_probe=probes, compare=compare, agent=agent)
    worst = max((line.exit_code for line in lines), default=0)
    if form == "json":
        rows = [{"mark": line.mark, "part": line.part, "text": line.text, "fix": line.fix} for line in lines]
        echo(json.dumps({"schema": 1, "parts": rows, "exit_code": worst}))
        return worst
    for line in lines:
        echo(f"  {line.mark:<5} {line.part:<9} {line.text}")
        if line.fix:
            echo(f"          fix: {line.fix}")
    return worst
