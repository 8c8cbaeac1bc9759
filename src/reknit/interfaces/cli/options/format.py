"""The `--format` option of most commands."""

import click

FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="text for people, json for programs"
)
REVIEW_FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json", "sarif", "github"]), default="text",
    help="text for people, json for programs, sarif or github (annotations) for the findings alone",
)  # fmt: skip
