"""`reknit issues`: the commands that read the ledger; `issues_write` has those that change it."""

import itertools
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from reknit.interfaces.cli.commands.issues_write import duplicate, ignore, import_, reopen, sync
from reknit.interfaces.cli.options.issues import ISSUE, add_filters, build_issue_filter
from reknit.interfaces.cli.options.settings import FORMAT, retype_command
from reknit.interfaces.cli.output.echo import echo, print_coloured
from reknit.interfaces.cli.output.lines import terminal_columns

if TYPE_CHECKING:
    from reknit.app.installation import Installation
    from reknit.core.issues.model import Issue
    from reknit.core.issues.sarif_export import ExportSummary, SarifText

MAX_ROWS = 50


_ISSUES_HELP = (
    "Keep what your tools report in one ledger: each problem once, with a status, across moved lines and "
    "renamed files.\n\n"
    "All clones of a repository on a forge share the same issues."
)


@click.group(help=_ISSUES_HELP)
def issues() -> None:
    """Group the commands on the issue ledger."""


for _command in (import_, ignore, duplicate, reopen, sync):
    issues.add_command(_command)


@issues.command("list", short_help="List issues, newest first.")
@add_filters
@click.option("--limit", type=click.IntRange(1), help=f"how many, newest first  [text: {MAX_ROWS}; others: all]")
@click.option("--after", type=ISSUE, help="only issues older than this one", metavar="ID")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif"]),
    default="text",
    help="text for people, json (one array) for programs, sarif for code scanning",
)
def list_(limit: int | None, after: int | None, form: str, **options: Any) -> int:
    """List issues, newest first. Without --status: those that are OPEN, IN_PROGRESS or FAILED; with --run: all."""
    from reknit.app.installation import find_installation
    from reknit.app.issues.from_forge import sync_if_due
    from reknit.app.issues.ledger import open_backlog
    from reknit.app.issues.query import export_sarif, list_newest_first
    from reknit.core.issues.lifecycle import TO_DO
    from reknit.core.issues.output.messages import explain_no_match, suggest_next_page
    from reknit.core.issues.output.table import render_table

    installation = find_installation(os.environ)
    backlog = open_backlog(installation, Path.cwd())
    sync_if_due(installation, backlog)
    options = _resolve_run(installation, options)
    issue_filter = build_issue_filter(options, backlog.repository.root, () if options["run_id"] else TO_DO)
    if form == "sarif":
        if limit or after:
            raise click.UsageError("sarif is always complete: `--limit` and `--after` are for text and json")
        _write_sarif(export_sarif(installation, backlog, issue_filter), sys.stdout)
        return 0
    if form == "json":
        matches = list_newest_first(installation, backlog, issue_filter, after=after or 0, at_once=limit or sys.maxsize)
        sys.stdout.writelines(_json_array(itertools.islice(matches, limit)))
        return 0
    most = limit or MAX_ROWS
    first_issues = list(
        itertools.islice(
            list_newest_first(installation, backlog, issue_filter, after=after or 0, at_once=most + 1), most + 1
        )
    )
    for line in render_table(first_issues[:most], terminal_columns()):
        print_coloured(line)
    if len(first_issues) > most:
        echo(suggest_next_page(first_issues[most - 1].id), err=True)
    if not first_issues:
        leave = ("statuses", "form", "limit", "after")
        again = (
            retype_command(click.get_current_context(), but=leave, more="--status all") if issue_filter.statuses else ""
        )
        echo(explain_no_match(backlog.ledger.counts(backlog.key), again), err=True)
    return 0


def _resolve_run(installation: "Installation", options: dict[str, Any]) -> dict[str, Any]:
    """Replace a prefix of a run's id by the id; an unknown run is an error, as everywhere."""
    from reknit.app.issues.query import resolve_run_id

    return {**options, "run_id": resolve_run_id(installation, options["run_id"])} if options["run_id"] else options


@issues.command(short_help="Show one issue, its lines and its history.")
@click.argument("issue", type=ISSUE, metavar="ID")
@FORMAT
def show(issue: int, form: str) -> int:
    """Show one issue: what its tools report, its lines, and who changed its status, when and why."""
    from reknit.app.installation import find_installation
    from reknit.app.issues.ledger import find_issues, open_backlog
    from reknit.app.issues.query import exclusion_reason, read_excerpt
    from reknit.core.issues.output.detail import build_detail_document, render_issue

    backlog = open_backlog(find_installation(os.environ), Path.cwd())
    (selected,) = find_issues(backlog, [issue])
    history, lines = backlog.ledger.history(issue), read_excerpt(backlog, selected)
    if form == "json":
        echo(json.dumps(build_detail_document(selected, history, lines)))
    else:
        echo(
            render_issue(
                selected, history, lines, _format_time, terminal_columns(), left_out=exclusion_reason(backlog, selected)
            )
        )
    return 0


@issues.command(short_help="Write issues as SARIF or JSON.")
@add_filters
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="a file  [default: stdout]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["sarif", "json"]),
    default="sarif",
    help="sarif for code scanning, json (one array) for programs",
)
def export(output: Path | None, form: str, **options: Any) -> int:
    """Write issues to a file for other programs, oldest first.

    Without --status, sarif has every issue that is not RESOLVED, MERGED or DUPLICATE (IGNORED ones as suppressed), and
    json has everything. Issues that their tools no longer report are in sarif only with `--baseline absent`.
    """
    from reknit.app.installation import find_installation
    from reknit.app.issues.ledger import open_backlog
    from reknit.app.issues.query import export_sarif, list_oldest_first
    from reknit.core.issues.lifecycle import TO_DO
    from reknit.core.issues.output.import_messages import render_export
    from reknit.core.issues.output.messages import render_json_export

    installation = find_installation(os.environ)
    backlog = open_backlog(installation, Path.cwd())
    options = _resolve_run(installation, options)
    if form == "json":
        matches, count = (
            list_oldest_first(installation, backlog, build_issue_filter(options, backlog.repository.root)),
            itertools.count(),
        )
        with _open_output(output) as file:
            file.writelines(_json_array(issue for issue, _ in zip(matches, count, strict=False)))
        echo(render_json_export(next(count), str(output or "stdout")), err=True)
        return 0
    issue_filter = build_issue_filter(options, backlog.repository.root, (*TO_DO, "IGNORED"))
    with _open_output(output) as file:
        export_summary = _write_sarif(export_sarif(installation, backlog, issue_filter), file)
    for line in render_export(export_summary, str(output or "stdout")):
        echo(line, err=True)
    return 0


@contextmanager
def _open_output(output: Path | None) -> Iterator[IO[str]]:
    """Open the output; a file appears only when it is complete."""
    from reknit.core.errors import UsageError

    if output is None:
        yield sys.stdout
        return
    try:
        with click.open_file(str(output), "w", encoding="utf-8", atomic=True) as file:
            yield file
    except OSError as problem:
        raise UsageError("output", f"{str(output)!r} cannot be written: {problem.strerror}") from None


def _write_sarif(text: "SarifText", file: IO[str]) -> "ExportSummary":
    while True:
        try:
            file.write(next(text))
        except StopIteration as done:
            summary: ExportSummary = done.value
            return summary


def _json_array(listed_issues: "Iterable[Issue]") -> Iterator[str]:
    from reknit.core.issues.output.detail import build_issue_document

    before = "["
    for issue in listed_issues:
        yield f"{before}\n{json.dumps(build_issue_document(issue))}"
        before = ","
    yield "[]\n" if before == "[" else "\n]\n"


def _format_time(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
