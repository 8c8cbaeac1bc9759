"""Picks the live view of a run: JSON lines, plain lines, or a terminal."""

import os
import sys
from collections.abc import Callable

from reknit.interfaces.cli.output.lines import JsonLines, PlainLines, RunOutput, Terminal


def choose_output(form: str, pull: Callable[[str], str] | None = None, *, leave: str = "") -> RunOutput:
    """`pull` reads a document of a pull-request run, which has a different view.

    `leave`: what Ctrl-C does; empty: it parks the run.
    """
    if form == "json":
        return JsonLines()
    if pull and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        from reknit.interfaces.cli.output.pull_table import PullTerminal  # imports all of rich, unneeded elsewhere

        return PullTerminal(pull, leave=leave)
    return Terminal(leave) if sys.stderr.isatty() else PlainLines()
