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
from reknit.interfaces.cli.options.format import FORMAT
from reknit.interfaces.cli.options.issues import ISSUE, chosen, filters
from reknit.interfaces.cli.options.retype import typed_again
from reknit.interfaces.cli.output.echo import echo
from reknit.interfaces.cli.output.lines import columns

if TYPE_CHECKING:
    from reknit.app.installation import Installation
    from reknit.core.issues.model import Issue
    from reknit.core.issues.sarif_export import ExportSummary, SarifText

SHOWN = 50


@click.group()
def issues() -> None:
    """Keep what your tools report in one ledger: each problem once, with a status, across moved lines and renamed
    files.

    All clones of a repository on a forge share the same issues.
    """


for _command in (import_, ignore, duplicate, reopen, sync):
    issues.add_command(_command)


@issues.command("list", short_help="List issues, newest first.")
@filters
@click.option("--limit", type=click.IntRange(1), help=f"how many, newest first  [text: {SHOWN}; others: all]")
@click.option("--after", type=ISSUE, help="only issues older than this one", metavar="ID")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif"]),
    default="text",
    help="text for people, json (one array) for programs, sarif for code scanning",
)
def list_(limit: int | None, after: int | None, form: str, **given: Any) -> int:
    """List issues, newest first. Without --status: those that are OPEN, IN_PROGRESS or FAILED; with --run: all."""
    from reknit.app.installation import installation
    from reknit.app.issues.ledger import open_backlog
    from reknit.app.issues.query import as_sarif, newest_first
    from reknit.app.issues.quiet_sync import sync_if_due
    from reknit.core.issues.lifecycle import TO_DO
    from reknit.core.issues.output.messages import next_page, none_chosen
    from reknit.core.issues.output.table import issue_lines

    place = installation(os.environ)
    backlog = open_backlog(place, Path.cwd())
    sync_if_due(place, backlog)
    given = _with_its_run(place, given)
    wanted = chosen(given, backlog.repository.root, () if given["run_id"] else TO_DO)
    if form == "sarif":
        if limit or after:
            raise click.UsageError("sarif is always complete: `--limit` and `--after` are for text and json")
        _put(as_sarif(place, backlog, wanted), sys.stdout)
        return 0
    if form == "json":
        found = newest_first(place, backlog, wanted, after=after or 0, at_once=limit or sys.maxsize)
        sys.stdout.writelines(_array(itertools.islice(found, limit)))
        return 0
    most = limit or SHOWN
    some = list(itertools.islice(newest_first(place, backlog, wanted, after=after or 0, at_once=most + 1), most + 1))
    for line in issue_lines(some[:most], columns()):
        echo(line)
    if len(some) > most:
        echo(next_page(some[most - 1].id), err=True)
    if not some:
        leave = ("statuses", "form", "limit", "after")
        again = typed_again(click.get_current_context(), but=leave, more="--status all") if wanted.statuses else ""
        echo(none_chosen(backlog.ledger.counts(backlog.key), again), err=True)
    return 0


def _with_its_run(place: "Installation", given: dict[str, Any]) -> dict[str, Any]:
    """A run may be named by a prefix of its id; an unknown one is an error, as everywhere."""
    from reknit.app.issues.query import run_named

    return {**given, "run_id": run_named(place, given["run_id"])} if given["run_id"] else given


@issues.command(short_help="Show one issue, its lines and its history.")
@click.argument("issue", type=ISSUE, metavar="ID")
@FORMAT
def show(issue: int, form: str) -> int:
    """Show one issue: what its tools report, its lines, and who changed its status, when and why."""
    from reknit.app.installation import installation
    from reknit.app.issues.change import found
    from reknit.app.issues.ledger import open_backlog
    from reknit.app.issues.query import excerpt, why_left_out
    from reknit.core.issues.output.detail import show_text
    from reknit.core.issues.output.documents import shown_document

    backlog = open_backlog(installation(os.environ), Path.cwd())
    (wanted,) = found(backlog, [issue])
    history, lines = backlog.ledger.history(issue), excerpt(backlog, wanted)
    if form == "json":
        echo(json.dumps(shown_document(wanted, history, lines)))
    else:
        echo(show_text(wanted, history, lines, _clock, columns(), left_out=why_left_out(backlog, wanted)))
    return 0


@issues.command(short_help="Write issues as SARIF or JSON.")
@filters
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="a file  [default: stdout]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["sarif", "json"]),
    default="sarif",
    help="sarif for code scanning, json (one array) for programs",
)
def export(output: Path | None, form: str, **given: Any) -> int:
    """Write issues to a file for other programs, oldest first.

    Without --status, sarif has every issue that is not RESOLVED, MERGED or DUPLICATE (IGNORED ones as suppressed), and
    json has everything. Issues that their tools no longer report are in sarif only with `--baseline absent`.
    """
    from reknit.app.installation import installation
    from reknit.app.issues.ledger import open_backlog
    from reknit.app.issues.query import as_sarif, oldest_first
    from reknit.core.issues.lifecycle import TO_DO
    from reknit.core.issues.output.import_messages import exported
    from reknit.core.issues.output.messages import exported_json

    place = installation(os.environ)
    backlog = open_backlog(place, Path.cwd())
    given = _with_its_run(place, given)
    if form == "json":
        found, count = oldest_first(place, backlog, chosen(given, backlog.repository.root)), itertools.count()
        with _opened(output) as file:
            file.writelines(_array(issue for issue, _ in zip(found, count, strict=False)))
        echo(exported_json(next(count), str(output or "stdout")), err=True)
        return 0
    wanted = chosen(given, backlog.repository.root, (*TO_DO, "IGNORED"))
    with _opened(output) as file:
        written = _put(as_sarif(place, backlog, wanted), file)
    for line in exported(written, str(output or "stdout")):
        echo(line, err=True)
    return 0


@contextmanager
def _opened(output: Path | None) -> Iterator[IO[str]]:
    """The file appears only when it is complete."""
    from reknit.core.errors import UsageProblem

    if output is None:
        yield sys.stdout
        return
    try:
        with click.open_file(str(output), "w", encoding="utf-8", atomic=True) as file:
            yield file
    except OSError as problem:
        raise UsageProblem("output", f"{str(output)!r} cannot be written: {problem.strerror}") from None


def _put(text: "SarifText", file: IO[str]) -> "ExportSummary":
    while True:
        try:
            file.write(next(text))
        except StopIteration as done:
            written: ExportSummary = done.value
            return written


def _array(found: "Iterable[Issue]") -> Iterator[str]:
    from reknit.core.issues.output.documents import issue_document

    before = "["
    for issue in found:
        yield f"{before}\n{json.dumps(issue_document(issue))}"
        before = ","
    yield "[]\n" if before == "[" else "\n]\n"


def _clock(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
