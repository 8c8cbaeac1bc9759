"""`reknit issues import`, `ignore`, `duplicate`, `reopen` and `sync`: the commands that change the ledger."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reknit.interfaces.cli.options.issues import ISSUE
from reknit.interfaces.cli.options.settings import FORMAT
from reknit.interfaces.cli.output.echo import echo

if TYPE_CHECKING:
    from reknit.app.issues.ledger import StatusChange


@click.command("import", short_help="Import your tools' reports into the ledger.")
@click.argument("files", nargs=-1, metavar="FILE…")
@click.option("--as", "format_name", help="the format of the reports, if it cannot be detected from their content")
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
    files: tuple[str, ...],
    format_name: str | None,
    root: str | None,
    threads: tuple[int, ...],
    form: str,
    *,
    alerts: bool,
) -> int:
    """Import your tools' reports into the ledger: SARIF, JUnit, rdjson, checkstyle, ruff, eslint, mypy and others.

    `-` reads stdin. All FILEs are one import. A known problem stays one issue, and what a tool no longer reports
    becomes `absent`: import all reports of a tool at once.
    """
    from reknit.app.installation import find_installation
    from reknit.app.issues.from_forge import sync_if_due
    from reknit.app.issues.import_reports import ImportRequest, import_reports
    from reknit.app.issues.ledger import open_backlog
    from reknit.app.issues.query import count_absent
    from reknit.core.issues.output.import_messages import build_import_document, render_import, suggest_after_import

    if not files and not alerts and not threads:
        raise click.UsageError("nothing to import: give a FILE, `-`, --alerts or --threads N")
    installation = find_installation(os.environ)
    backlog = open_backlog(installation, Path.cwd())
    top = root if not root or root[1:2] == ":" else str(Path(root).absolute())  # on another machine it may be a drive
    request = ImportRequest(files, format_name or "", top or "", alerts=alerts, threads=threads)
    sync_if_due(installation, backlog)
    report = import_reports(installation, backlog, request)
    if form == "json":
        echo(json.dumps(build_import_document(report, backlog.key)))
        return 0
    absent = count_absent(backlog.ledger, backlog.key, ("OPEN",))
    for line in (*render_import(report), suggest_after_import(backlog.ledger.counts(backlog.key), absent)):
        echo(line)
    return 0


@click.command(short_help="Mark issues as false or not to be fixed.")
@click.argument("ids", type=ISSUE, nargs=-1, required=True, metavar="ID…")
@click.option("--why", required=True, help="kept in the history, and in exports")
@FORMAT
def ignore(ids: tuple[int, ...], why: str, form: str) -> int:
    """Mark issues as false or not to be fixed. Later reports that name them change nothing."""
    from reknit.app.installation import find_installation
    from reknit.app.issues.ledger import change_status, open_backlog

    if not why.strip():
        raise click.UsageError("`--why` must not be empty: give the reason")
    return _print_change(
        change_status(open_backlog(find_installation(os.environ), Path.cwd()), ids, "IGNORED", why.strip()), form
    )


@click.command(short_help="Mark an issue as a duplicate of another one.")
@click.argument("issue", type=ISSUE, metavar="ID")
@click.argument("original", type=ISSUE, metavar="OF")
@FORMAT
def duplicate(issue: int, original: int, form: str) -> int:
    """Mark issue ID as a duplicate of issue OF, which stays."""
    from reknit.app.installation import find_installation
    from reknit.app.issues.ledger import mark_duplicate, open_backlog

    return _print_change(mark_duplicate(open_backlog(find_installation(os.environ), Path.cwd()), issue, original), form)


@click.command(short_help="Reopen issues that are ignored, duplicates or RESOLVED.")
@click.argument("ids", type=ISSUE, nargs=-1, required=True, metavar="ID…")
@click.option("--why", default="taken back", show_default=True, help="kept in the history")
@FORMAT
def reopen(ids: tuple[int, ...], why: str, form: str) -> int:
    """Reopen issues that are ignored, duplicates or RESOLVED: they are OPEN again."""
    from reknit.app.installation import find_installation
    from reknit.app.issues.ledger import change_status, open_backlog

    return _print_change(
        change_status(open_backlog(find_installation(os.environ), Path.cwd()), ids, "OPEN", why.strip()), form
    )


def _print_change(changed: "StatusChange", form: str) -> int:
    from reknit.core.issues.output.messages import render_change, render_duplicate

    original = changed.original
    if form == "json":
        document = {
            "schema": 1, "status": changed.to, "changed": [issue.name for issue in changed.changed],
            "already": [issue.name for issue in changed.already],
            **({"duplicate_of": original.name, "original_status": original.status} if original else {}),
        }  # fmt: skip
        echo(json.dumps(document))
        return 0
    if original:
        (issue,) = (*changed.changed, *changed.already)
        echo("\n".join(render_duplicate(issue, original, has_changed=bool(changed.changed))))
        return 0
    if changed.changed:
        echo(render_change(changed.changed, changed.to, has_changed=True))
    if changed.already:
        echo(render_change(changed.already, changed.to, has_changed=False))
    return 0


@click.command(short_help="Ask the forge which fixes are merged.")
@FORMAT
def sync(form: str) -> int:
    """Ask the forge which fixes are merged: RESOLVED issues of a merged pull request become MERGED.

    Without a forge: report which of their commits are in HEAD, and which are in no branch any more.
    """
    from reknit.app.installation import find_installation
    from reknit.app.issues.from_forge import sync_merges as ask
    from reknit.app.issues.ledger import open_backlog
    from reknit.core.issues.output.messages import build_sync_document, render_sync

    installation = find_installation(os.environ)
    backlog = open_backlog(installation, Path.cwd())
    answer = ask(installation, backlog)
    waiting = backlog.ledger.unmerged_commits(backlog.key)
    if form == "json":
        echo(json.dumps(build_sync_document(answer, waiting)))
        return 0
    for line in render_sync(answer, waiting):
        echo(line)
    return 0
