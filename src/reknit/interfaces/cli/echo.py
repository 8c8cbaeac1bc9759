"""The one way to the terminal: no text, whoever wrote it, can do more there than be read."""

import click

from reknit.core.redact import visible


def echo(text: str, *, err: bool = False) -> None:
    click.echo(visible(text), err=err)
