"""`reknit issues import`, `ignore`, `duplicate`, `reopen` and `sync`: the commands that change the ledger."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reknit.interfaces.cli.options.format import FORMAT
from reknit.interfaces.cli.options.issues import ISSUE
from reknit.interfaces.cli.output.echo import echo

if TYPE_CHECKING:
    from reknit.app.issues.change import StatusChange


@click.command("import", short_help="Import your tools' reports into the ledger.")
@click.argument("files", nargs=-1, metavar="FILE…")
@click.option("--as", "named", help="the format of the reports, if it cannot be detected from their content")
@click.option(
    "--root",
    metavar="FOLDER",
    help="what the paths in the reports are relative to: a folder in here, or the repository on another machine",
)
@click.option("--alerts", is_flag=True, help="also import the open code-scanning alerts of the repository on its forge")
@click.option(
    "--threads",
    type=click.IntRange(1),
    multiple=True,
    metavar="N",
    help="also import the open threads of pull request N",
)
@FORMAT
def import_(
    files: tuple[str, ...], named: str | None, root: str | None, threads: tuple[int, ...], form: str, *, alerts: bool
) -> int:
    """Import your tools' reports into the ledger: SARIF, JUnit, rdjson, checkstyle, ruff, eslint, mypy and others.

    `-` reads stdin. All FILEs are one import. A known problem stays one issue, and what a tool no longer reports
    becomes `absent`: import all reports of a tool at once.
    """
    from reknit.app.installation import installation
    from reknit.app.issues.import_reports import ImportRequest, import_reports
    from reknit.app.issues.ledger import open_backlog
    from reknit.app.issues.query import absent_of
    from reknit.app.issues.quiet_sync import sync_if_due
    from reknit.core.issues.output.documents import import_document
    from reknit.core.issues.output.import_messages import import_lines, import_next

    if not files and not alerts and not threads:
        raise click.UsageError("nothing to import: give a FILE, `-`, --alerts or --threads N")
    place = installation(os.environ)
    backlog = open_backlog(place, Path.cwd())
    top = root if not root or root[1:2] == ":" else str(Path(root).absolute())  # on another machine it may be a drive
    wanted = ImportRequest(files, named or "", top or "", alerts=alerts, threads=threads)
    sync_if_due(place, backlog)
    report = import_reports(place, backlog, wanted)
    if form == "json":
        echo(json.dumps(import_document(report, backlog.key)))
        return 0
    absent = absent_of(backlog.ledger, backlog.key, ("OPEN",))
    for line in (*import_lines(report), import_next(backlog.ledger.counts(backlog.key), absent)):
        echo(line)
    return 0


@click.command(short_help="Mark issues as false or not to be fixed.")
@click.argument("ids", type=ISSUE, nargs=-1, required=True, metavar="ID…")
@click.option("--why", required=True, help="kept in the history, and in exports")
@FORMAT
def ignore(ids: tuple[int, ...], why: str, form: str) -> int:
    """Mark issues as false or not to be fixed. Later reports that name them change nothing."""
    from reknit.app.installation import installation
    from reknit.app.issues.change import change
    from reknit.app.issues.ledger import open_backlog

    if not why.strip():
        raise click.UsageError("`--why` must not be empty: give the reason")
    return _tell(change(open_backlog(installation(os.environ), Path.cwd()), ids, "IGNORED", why.strip()), form)


@click.command(short_help="Mark an issue as a duplicate of another one.")
@click.argument("issue", type=ISSUE, metavar="ID")
@click.argument("original", type=ISSUE, metavar="OF")
@FORMAT
def duplicate(issue: int, original: int, form: str) -> int:
    """Mark issue ID as a duplicate of issue OF, which stays."""
    from reknit.app.installation import installation
    from reknit.app.issues.change import call_duplicate
    from reknit.app.issues.ledger import open_backlog

    return _tell(call_duplicate(open_backlog(installation(os.environ), Path.cwd()), issue, original), form)


@click.command(short_help="Reopen issues that are ignored, duplicates or RESOLVED.")
@click.argument("ids", type=ISSUE, nargs=-1, required=True, metavar="ID…")
@click.option("--why", default="taken back", show_default=True, help="kept in the history")
@FORMAT
def reopen(ids: tuple[int, ...], why: str, form: str) -> int:
    """Reopen issues that are ignored, duplicates or RESOLVED: they are OPEN again."""
    from reknit.app.installation import installation
    from reknit.app.issues.change import change
    from reknit.app.issues.ledger import open_backlog

    return _tell(change(open_backlog(installation(os.environ), Path.cwd()), ids, "OPEN", why.strip()), form)


def _tell(changed: "StatusChange", form: str) -> int:
    from reknit.core.issues.output.messages import changed_line, duplicate_lines

    original = changed.original
    if form == "json":
        document = {
            "schema": 1, "status": changed.to, "changed": [issue.name for issue in changed.done],
            "already": [issue.name for issue in changed.already],
            **({"duplicate_of": original.name, "original_status": original.status} if original else {}),
        }  # fmt: skip
        echo(json.dumps(document))
        return 0
    if original:
        (issue,) = (*changed.done, *changed.already)
        echo("\n".join(duplicate_lines(issue, original, done=bool(changed.done))))
        return 0
    if changed.done:
        echo(changed_line(changed.done, changed.to, done=True))
    if changed.already:
        echo(changed_line(changed.already, changed.to, done=False))
    return 0


@click.command(short_help="Ask the forge which fixes are merged.")
@FORMAT
def sync(form: str) -> int:
    """Ask the forge which fixes are merged: RESOLVED issues of a merged pull request become MERGED.

    Without a forge: report which of their commits are in HEAD, and which are in no branch any more.
    """
    from reknit.app.installation import installation
    from reknit.app.issues.from_forge import sync as ask
    from reknit.app.issues.ledger import open_backlog
    from reknit.core.issues.output.sync_messages import sync_document, sync_lines

    place = installation(os.environ)
    backlog = open_backlog(place, Path.cwd())
    answer = ask(place, backlog)
    waiting = backlog.ledger.landed(backlog.key)
    if form == "json":
        echo(json.dumps(sync_document(answer, waiting)))
        return 0
    for line in sync_lines(answer, waiting):
        echo(line)
    return 0
