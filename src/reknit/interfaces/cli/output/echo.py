"""Prints for all commands, so that no text can control the terminal."""

import click

from reknit.core.text.redact import visible


def echo(text: str, *, err: bool = False) -> None:
    click.echo(visible(text), err=err)
