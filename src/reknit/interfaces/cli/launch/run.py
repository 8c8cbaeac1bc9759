"""Shows a run while it works and reports its ending; shared by all commands that start or resume one."""

import json
from collections.abc import Callable

from reknit.app.installation import Installation
from reknit.core.capabilities import capability_of
from reknit.core.run_text import at_step, ending_document, ending_text
from reknit.core.runs.ending import INTERRUPTED_EXIT_CODE, exit_code_of
from reknit.core.runs.view import RunView
from reknit.interfaces.cli.output.choose_view import choose_output
from reknit.interfaces.cli.output.echo import echo
from reknit.interfaces.cli.output.lines import RunOutput, columns
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader


def run_and_report(
    place: Installation, form: str, go: Callable[[RunOutput], RunView], run_id: str, kind: str, *, leave: str = ""
) -> int:
    """`leave`: what Ctrl-C does instead of parking the run."""
    reader = RunReader(open_store(place.database))
    has_table = capability_of(kind).view == "pull request table"
    read = (lambda name: reader.document(run_id, name)) if has_table else None
    with choose_output(form, read, leave=leave) as output:
        run = go(output)
    if run.ending is None:
        return _interrupted(run, form, shows_step=not has_table)
    stored, code = reader.stored(run), exit_code_of(run.ending, str(run.detail.get("cause", "")))
    if form == "json":
        echo(json.dumps(ending_document(stored, code)))
    elif form in (reports := capability_of(kind).reports):
        echo(reports[form](stored))
        echo("\n" + ending_text(stored, columns()), err=True)
    else:
        echo(("" if code else "\n") + ending_text(stored, columns()))
    return code


def _interrupted(run: RunView, form: str, *, shows_step: bool) -> int:
    if form == "json":
        document = {"schema": 1, "event": "interrupted", "run": run.id, "phase": run.phase}
        document |= {"reason": run.reason} if run.reason else {}
        echo(json.dumps(document))
    where = at_step(run) if shows_step else ""  # a table above shows it, and the command must not wrap
    why = f"parked: {run.reason}\n" if run.reason else "interrupted. "
    echo(f"\n{why}{run.id} is safe{where}: `reknit resume {run.id}`", err=True)
    return INTERRUPTED_EXIT_CODE
