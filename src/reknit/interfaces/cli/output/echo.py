"""Prints for all commands, so that no text can control the terminal."""

import click

from reknit.core.text.redact import escape_hidden


def echo(text: str, *, err: bool = False) -> None:
    """Print text without characters that control a terminal."""
    click.echo(escape_hidden(text), err=err)
