"""`reknit logs` and `open`: the conversations of a run's agents, and its page in the browser."""

import json
import os

import click

from reknit.interfaces.cli.options.settings import FORMAT, run_argument
from reknit.interfaces.cli.output.echo import echo
from reknit.interfaces.cli.output.lines import terminal_columns


@click.command()
@run_argument()
@click.option("--attempt", type=click.IntRange(1), help="only the conversation of this attempt")
@FORMAT
def logs(run: str, attempt: int | None, form: str) -> int:
    """Show what the agents of a run said and did, by default of the last run here."""
    from reknit.app.installation import find_installation
    from reknit.app.runs.liveness import read_stored_run
    from reknit.app.runs.transcripts import read_transcripts
    from reknit.core.run_page.logs_text import build_logs_document, explain_no_logs, render_logs

    installation = find_installation(os.environ)
    stored = read_stored_run(installation, run)
    if attempt is not None and attempt not in [each.number for each in stored.attempts]:
        raise click.BadParameter(f"{stored.run.id} has {len(stored.attempts)} attempt(s)", param_hint="--attempt")
    transcripts = read_transcripts(installation, stored.run, attempt)
    if form == "json":
        echo(json.dumps(build_logs_document(stored, transcripts)))
    elif transcripts:
        echo(render_logs(stored, transcripts, terminal_columns()))
    else:
        echo(explain_no_logs(stored), err=True)
    return 0


@click.command("open")
@run_argument()
def open_page(run: str) -> int:
    """Open the page of a run in the browser, by default of the last run here; without a display, print its path."""
    from reknit.app.installation import find_installation
    from reknit.app.runs.browser import open_file
    from reknit.app.runs.page import write_run_page

    installation = find_installation(os.environ)
    path = write_run_page(installation, run)
    echo(str(path))
    if not open_file(path, os.environ):
        echo("no browser could be started here: open this file in one", err=True)
    return 0
