"""`reknit stats`: what the runs of a period did and cost; read-only, without the engine."""

import json
import os
import time
from pathlib import Path

import click

from reknit.core.stats.figures import DEFAULT_PERIOD, build_stats_document, parse_period
from reknit.interfaces.cli.output.echo import echo
from reknit.interfaces.cli.output.lines import terminal_columns

_FORMAT_HELP = "text for people, json for programs, html: one page to keep or to send"


@click.command()
@click.option(
    "--since", default=DEFAULT_PERIOD, show_default=True, metavar="PERIOD", help="how far back: 12h, 30d or 4w"
)
@click.option("--all", "is_all", is_flag=True, help="the runs of every repository, not only of this one")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "html"]),
    default="text",
    show_default=True,
    help=_FORMAT_HELP,
)
def stats(since: str, form: str, *, is_all: bool) -> int:
    """Show what the runs here did and cost: endings, money, agents, findings, refusals."""
    from reknit.adapters.git.user_repository import UserRepository
    from reknit.app.installation import find_installation
    from reknit.core.stats.tables import render_page, render_text
    from reknit.store.database import open_store
    from reknit.store.runs.stats import StatsReader

    period, now = parse_period(since), time.time()
    repository = "" if is_all else UserRepository.find(str(Path.cwd())).root
    figures = StatsReader(open_store(find_installation(os.environ).database), repository, period, now).read()
    if form == "json":
        echo(json.dumps(build_stats_document(figures, now)))
    else:
        echo(render_page(figures) if form == "html" else render_text(figures, terminal_columns()))
    return 0
