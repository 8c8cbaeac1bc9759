"""The `--format` option of most commands."""

import click

FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="text for people, json for programs"
)
