"""Shows a run while it works and reports its ending; shared by all commands that start or resume one."""

import json
import os
import sys
from collections.abc import Callable

from reknit.app.installation import Installation
from reknit.app.runs.apply import read_landed_diff
from reknit.core.capabilities import find_capability
from reknit.core.run_text import build_ending_document, describe_place, render_ending
from reknit.core.runs.ending import INTERRUPTED_EXIT_CODE, find_exit_code
from reknit.core.runs.view import RunView, describe_spending
from reknit.interfaces.cli.output.echo import echo, print_coloured
from reknit.interfaces.cli.output.lines import JsonLines, PlainLines, Read, RunOutput, terminal_columns
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader


def run_and_report(
    installation: Installation,
    form: str,
    go: Callable[[RunOutput], RunView],
    run_id: str,
    kind: str,
    *,
    leave: str = "",
) -> int:
    """Run or follow a run in a view, and report its ending. `leave`: effect of Ctrl-C if not parking the run."""
    reader = RunReader(open_store(installation.database))
    has_table = find_capability(kind).view == "pull request table"
    with choose_output(form, lambda name: reader.document(run_id, name), has_table=has_table, leave=leave) as output:
        run = go(output)
    if run.ending is None:
        return _report_interruption(run, form, shows_step=not has_table)
    stored, code = reader.stored(run), find_exit_code(run.ending, str(run.detail.get("cause", "")))
    if form == "json":
        echo(json.dumps(build_ending_document(stored, code)))
        return code
    text = render_ending(stored, terminal_columns(), read_landed_diff(installation, stored))
    if form in (reports := find_capability(kind).reports):
        echo(reports[form](stored))
        print_coloured(f"\n{text}", err=True)
    else:
        print_coloured(text if code else f"\n{text}")
    return code


def _report_interruption(run: RunView, form: str, *, shows_step: bool) -> int:
    if form == "json":
        document: dict[str, object] = {"schema": 1, "event": "interrupted", "run": run.id, "phase": run.phase}
        document |= {"spent_usd": run.spent_usd, "reserved_usd": run.held_usd, "budget_usd": run.budget_usd}
        document |= {"reason": run.reason} if run.reason else {}
        echo(json.dumps(document))
    step = describe_place(run) if shows_step else ""  # a table above shows it, and the command must not wrap
    why = f"stopped: {run.reason}\n" if run.reason else "interrupted. "
    echo(f"\n{why}{run.id} is safe{step}: `reknit resume {run.id}`\n{describe_spending(run)}", err=True)
    return INTERRUPTED_EXIT_CODE


def choose_output(form: str, read: Read, *, has_table: bool = False, leave: str = "") -> RunOutput:
    """Return the view for this output. `read` returns a document of the run. `has_table`: it has iterations to show.

    `leave`: what Ctrl-C does; empty: it parks the run.
    """
    if form == "json":
        return JsonLines()
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return PlainLines(read)
    if has_table:
        from reknit.interfaces.cli.output.pull_table import PullTerminal  # imports all of rich, unneeded elsewhere

        return PullTerminal(read, leave=leave)
    from reknit.interfaces.cli.output.panel import PanelTerminal

    return PanelTerminal(read, leave)
