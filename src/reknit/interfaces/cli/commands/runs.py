"""`reknit runs`, `show` and `explain`: read-only, without the engine."""

import json
import os
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reknit.core.runs.view import AttemptView, RunView
from reknit.interfaces.cli.options.format import FORMAT
from reknit.interfaces.cli.output.echo import echo
from reknit.interfaces.cli.output.lines import columns

if TYPE_CHECKING:
    from reknit.store.runs.reader import RunReader

_ISSUE = re.compile(r"[Ii]-\d{1,9}", re.ASCII)


def _reader() -> "RunReader":
    from reknit.app.installation import installation
    from reknit.store.database import open_store
    from reknit.store.runs.reader import RunReader

    return RunReader(open_store(installation(os.environ).database))


@click.command()
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="how many, newest first")
@FORMAT
def runs(limit: int, form: str) -> int:
    """List runs, newest first."""
    from reknit.app.installation import installation
    from reknit.app.runs.liveness import mark_orphaned
    from reknit.core.run_text import run_document, run_line

    reader = _reader()
    found = mark_orphaned(installation(os.environ), reader, reader.runs(limit=limit))
    if form == "json":
        echo(json.dumps({"schema": 1, "runs": [run_document(run, (), ()) for run in found]}))
        return 0
    for run in found:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.created_at))
        echo(run_line(run, when, Path(run.repository).name, columns()))
    if not found:
        echo("no runs yet: `reknit fix tests` starts one, `reknit demo` shows one", err=True)
    return 0


@click.command()
@click.argument("run")
@click.option("--attempt", type=int, help="show the diff of this attempt, even if it was refused")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "state"]),
    default="text",
    help="text for people, json for programs, state: the loop state of a `fix pr` run",
)
def show(run: str, attempt: int | None, form: str) -> int:
    """Show one run: its attempts, receipts and commits."""
    from reknit.app.installation import installation
    from reknit.app.runs.liveness import mark_orphaned
    from reknit.core.run_text import run_document, show_text

    if _ISSUE.fullmatch(run):
        from reknit.core.errors import UsageProblem

        raise UsageProblem("no-run", f"{run!r} is an issue, not a run", help=f"`reknit issues show {run}`")
    reader = _reader()
    (view,) = mark_orphaned(installation(os.environ), reader, [reader.run(run)])
    attempts, receipts = reader.attempts(view.id), reader.receipts(view.id)
    if attempt is not None and form == "state":
        raise click.UsageError("the state belongs to the whole run, not to an attempt")
    if attempt is not None:
        return _show_attempt(view, attempts, attempt, form)
    if form == "state":
        echo(json.dumps(_state(reader, view), indent=2))
    elif form == "json":
        echo(json.dumps({"schema": 1, **run_document(view, attempts, receipts), **_own_documents(reader, view)}))
    else:
        echo(show_text(view, attempts, receipts, _shown(reader, view)))
    return 0


def _state(reader: "RunReader", run: RunView) -> dict[str, object]:
    from reknit.core.errors import UsageProblem
    from reknit.core.fix_pr.output.documents import state_document

    if run.kind != "fix pr":
        raise UsageProblem(
            "no-state",
            f"{run.id} is a {run.kind!r} run; only `fix pr` has a loop state",
            help=f"`reknit show {run.id}`",
        )
    return state_document(run, _document(reader, run, "course"), _checks(reader, run))


def _own_documents(reader: "RunReader", run: RunView) -> dict[str, object]:
    """The additional documents of this kind of run."""
    if run.kind == "vote":
        return {"votes": _document(reader, run, "votes") or None}
    return {"course": _document(reader, run, "course")} if run.kind == "fix pr" else {}


def _shown(reader: "RunReader", run: RunView) -> list[str]:
    from reknit.core.fix_pr.output.record import record_in
    from reknit.core.fix_pr.output.run_text import show_lines

    if run.kind == "vote":
        return _votes(reader, run)
    return show_lines(run, record_in(_document(reader, run, "course")), columns()) if run.kind == "fix pr" else []


def _votes(reader: "RunReader", run: RunView) -> list[str]:
    from reknit.core.vote.record import tally_in
    from reknit.core.vote.run_text import show_lines

    return show_lines(run, tally_in(_document(reader, run, "votes")), columns())


def _explained(reader: "RunReader", run: RunView) -> list[str]:
    from reknit.core.fix_pr.output.record import record_in
    from reknit.core.fix_pr.output.run_text import explain_lines

    if run.kind == "vote":
        return _votes(reader, run)
    if run.kind != "fix pr":
        return []
    return explain_lines(run, record_in(_document(reader, run, "course")), _checks(reader, run))


def _checks(reader: "RunReader", run: RunView) -> dict[str, dict[str, Any]]:
    return {check: _document(reader, run, f"check.{check}") for check in ("review", "tests", "ci")}


def _document(reader: "RunReader", run: RunView, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(reader.document(run.id, name) or "{}")
    return found


def _show_attempt(run: RunView, attempts: Sequence[AttemptView], number: int, form: str) -> int:
    from reknit.app.installation import installation
    from reknit.app.runs.attempt_diff import attempt_diff
    from reknit.core.run_text import attempt_document, attempt_line

    found = [attempt for attempt in attempts if attempt.number == number]
    if not found:
        raise click.BadParameter(f"{run.id} has {len(attempts)} attempt(s)", param_hint="--attempt")
    diff = attempt_diff(installation(os.environ), run.id, number)
    if form == "json":
        echo(json.dumps({"schema": 1, "run": run.id, **attempt_document(found[0]), "diff": diff}))
    else:
        echo(f"{attempt_line(found[0])}\n\n{diff}")
    return 0


@click.command()
@click.argument("run", metavar="RUN|ISSUE")
@FORMAT
def explain(run: str, form: str) -> int:
    """Explain why a run ended as it did: what was run, what was seen, what was decided and why; for an issue (I-42),
    show its sources and its history."""
    if _ISSUE.fullmatch(run):
        from reknit.interfaces.cli.commands.issues import show as show_issue

        shown: int = click.get_current_context().invoke(show_issue, issue=int(run[2:]), form=form)
        return shown
    from reknit.core.run_text import event_document, explain_text, run_document

    reader = _reader()
    view = reader.run(run)
    attempts, events = reader.attempts(view.id), reader.events(view.id)
    if form == "json":
        document = {**run_document(view, attempts, reader.receipts(view.id)), **_own_documents(reader, view)}
        echo(json.dumps({"schema": 1, **document, "events": [event_document(seen) for seen in events]}))
    else:
        echo(explain_text(view, attempts, events, _explained(reader, view)))
    return 0
