"""`reknit doctor`: tests the real channels, and says what to do about each that fails."""

import os
from pathlib import Path

import click

from reknit.interfaces.cli.options.format import FORMAT
from reknit.interfaces.cli.output.echo import echo


@click.command()
@click.option("--probes", is_flag=True, help="every probe of the box by name")
@click.option("--compare", is_flag=True, help="run the tests without walls too, and compare what was seen")
@click.option("--agent", help="try this agent; default: `fixer` of the configuration, and its `fallback`")
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
