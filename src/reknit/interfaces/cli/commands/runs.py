"""`reknit runs` and `show`, and `explain` for rules and checks: read-only, without the engine."""

import json
import os
import re
import time
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reknit.core.check_answer import CHECKS
from reknit.core.gate.rule_guide import GUIDE, explain_rule, rule_to_document
from reknit.core.runs.view import AttemptView, RunView
from reknit.interfaces.cli.options.settings import FORMAT, run_argument
from reknit.interfaces.cli.output.echo import echo, print_coloured
from reknit.interfaces.cli.output.lines import terminal_columns

if TYPE_CHECKING:
    from reknit.core.capability import StoredRun
    from reknit.store.runs.reader import RunReader

_ISSUE = re.compile(r"[Ii]-\d{1,9}", re.ASCII)


def _reader() -> "RunReader":
    from reknit.app.installation import find_installation
    from reknit.store.database import open_store
    from reknit.store.runs.reader import RunReader

    return RunReader(open_store(find_installation(os.environ).database))


@click.command()
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="how many, newest first")
@click.option("--all", "is_all", is_flag=True, help="also the checks of windows in fix mode")
@FORMAT
def runs(limit: int, form: str, *, is_all: bool) -> int:
    """List runs, newest first."""
    from reknit.app.installation import find_installation
    from reknit.app.runs.liveness import mark_orphaned
    from reknit.core.capabilities import UNLISTED_KINDS
    from reknit.core.capability import StoredRun
    from reknit.core.run_text import build_run_document, render_run_line

    reader = _reader()
    listed = reader.runs(limit=limit, but_kinds=() if is_all else UNLISTED_KINDS)
    views = mark_orphaned(find_installation(os.environ), reader, listed)
    if form == "json":
        echo(json.dumps({"schema": 1, "runs": [build_run_document(StoredRun(run)) for run in views]}))
        return 0
    for run in views:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.created_at))
        print_coloured(render_run_line(run, when, Path(run.repository).name, terminal_columns()))
    if not views and not is_all and reader.runs(limit=1):
        echo("only checks of windows: `reknit runs --all` lists them", err=True)
    elif not views:
        echo("no runs yet: `reknit fix tests` starts one, `reknit demo` shows one", err=True)
    return 0


@click.command()
@run_argument()
@click.option("--attempt", type=int, help="show the diff of this attempt, even if it was refused")
@click.option("--diff", "has_diff", is_flag=True, help="show the whole change that landed")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "state", "html"]),
    default="text",
    help="text for people, json for programs, html: one page with everything, "
    "state: the loop state of a `fix tests` or `fix pr` run",
)
@click.option("--why", is_flag=True, help="also what was run and seen, and what was decided and why")
@click.option("-o", "--output", type=click.Path(dir_okay=False, writable=True), help="write the page to this file")
def show(run: str, attempt: int | None, form: str, output: str | None, *, has_diff: bool, why: bool) -> int:
    """Show one run, by default the last one here: its attempts, receipts and commits."""
    from reknit.app.installation import find_installation
    from reknit.app.runs.liveness import mark_orphaned
    from reknit.core.run_text import build_event_document, build_show_document, render_explanation, render_run

    if _ISSUE.fullmatch(run):
        from reknit.core.errors import UsageError

        raise UsageError("no-run", f"{run!r} is an issue, not a run", help=f"`reknit issues show {run}`")
    reader = _reader()
    (view,) = mark_orphaned(find_installation(os.environ), reader, [reader.run(run)])
    stored = reader.stored(view)
    if output and form != "html":
        raise click.UsageError("--output writes the page: use it with --format html")
    if attempt is not None and (why or form in ("state", "html")):
        raise click.UsageError("--why, the state and the page belong to the whole run, not to an attempt")
    if why and form == "state":
        raise click.UsageError("--why adds nothing to the state")
    if has_diff and (why or attempt is not None or form != "text"):
        raise click.UsageError("--diff shows the change that landed and nothing else")
    if has_diff:
        return _show_landed_change(stored)
    if attempt is not None:
        return _show_attempt(view, stored.attempts, attempt, form)
    if form == "html":
        return _show_page(stored, reader, output)
    events = reader.events(view.id) if why else []
    if form == "state":
        echo(json.dumps(_state(stored), indent=2))
    elif form == "json":
        extra = {"events": [build_event_document(event) for event in events]} if why else {}
        echo(json.dumps({**build_show_document(stored), **extra}))
    elif why:
        echo(render_explanation(stored, events, terminal_columns()))
    else:
        print_coloured(render_run(stored, terminal_columns()))
    return 0


def _state(stored: "StoredRun") -> dict[str, object]:
    from reknit.core.capabilities import CAPABILITIES, find_capability
    from reknit.core.errors import UsageError

    run, state_document = stored.run, find_capability(stored.run.kind).state_document
    if state_document is None:
        with_state = " and ".join(
            f"`{capability.kind}`" for capability in map(find_capability, CAPABILITIES) if capability.state_document
        )
        raise UsageError(
            "no-state",
            f"{run.id} is a {run.kind!r} run; only {with_state} runs have a loop state",
            help=f"`reknit show {run.id}`",
        )
    return state_document(stored)


def _show_landed_change(stored: "StoredRun") -> int:
    from reknit.app.installation import find_installation
    from reknit.app.runs.apply import read_landed_diff
    from reknit.core.errors import UsageError

    diff = read_landed_diff(find_installation(os.environ), stored)
    if not diff:
        message = f"{stored.run.id} landed no change that is on this machine"
        raise UsageError("nothing-landed", message, help=f"`reknit show {stored.run.id}`")
    print_coloured(diff)
    return 0


def _show_page(stored: "StoredRun", reader: "RunReader", output: str | None) -> int:
    from reknit.app.installation import find_installation
    from reknit.app.runs.page import make_run_page

    page = make_run_page(find_installation(os.environ), stored, reader.events(stored.run.id))
    if output:
        Path(output).write_text(page, encoding="utf-8")
    else:
        echo(page)
    return 0


def _show_attempt(run: RunView, attempts: Sequence[AttemptView], number: int, form: str) -> int:
    from reknit.app.installation import find_installation
    from reknit.app.runs.apply import read_attempt_diff
    from reknit.core.run_text import build_attempt_document, render_attempt_line

    matches = [attempt for attempt in attempts if attempt.number == number]
    if not matches:
        raise click.BadParameter(f"{run.id} has {len(attempts)} attempt(s)", param_hint="--attempt")
    diff = read_attempt_diff(find_installation(os.environ), run.id, number)
    if form == "json":
        echo(json.dumps({"schema": 1, "run": run.id, **build_attempt_document(matches[0]), "diff": diff}))
    else:
        print_coloured(f"{render_attempt_line(matches[0])}\n\n{diff}")
    return 0


def _explain_rules(name: str, form: str) -> int:
    """Explain one rule of the gate, or all; a name that is only similar is an error that names the right one."""
    from reknit.core.gate.judge import RULES
    from reknit.core.gate.waiver import require_known_rule

    rules = [rule for rule in RULES if name == "rules" or rule.id == require_known_rule(name)]
    if form == "json":
        echo(json.dumps({"schema": 1, "rules": [rule_to_document(rule.id, rule.sentence) for rule in rules]}))
    else:
        echo("\n\n".join(explain_rule(rule.id, rule.sentence, example=len(rules) == 1) for rule in rules))
    return 0


def _explain_checks(name: str, form: str) -> int:
    """Explain one tamper check, or all; a name that is only similar is an error that names the right one."""
    from reknit.core.check_guide import explain_check, render_check_document
    from reknit.core.errors import UsageError

    checks = [check for check in CHECKS if name in ("checks", check)]
    if not checks:
        near = get_close_matches(name, CHECKS, n=1)[0]
        raise UsageError("check", f"no check {name!r}", help=f"did you mean `reknit explain {near}`?")
    if form == "json":
        echo(json.dumps({"schema": 1, "checks": [*map(render_check_document, checks)]}))
    else:
        echo("\n\n".join(map(explain_check, checks)))
    return 0


_EXPLAIN_HELP = (
    "Explain a rule of the gate: what it is for and how a person allows it; or a tamper check: what it does and what "
    "its answers mean. `rules` and `checks` list all of them."
)


@click.command(help=_EXPLAIN_HELP)
@click.argument("name", metavar="RULE|CHECK")
@FORMAT
def explain(name: str, form: str) -> int:
    """Explain a rule or a check."""
    if name == "checks" or get_close_matches(name, CHECKS, n=1, cutoff=0.8):
        return _explain_checks(name, form)
    if name == "rules" or get_close_matches(name, GUIDE, n=1, cutoff=0.8):
        return _explain_rules(name, form)
    from reknit.core.errors import UsageError

    shows = f"`reknit issues show {name}`" if _ISSUE.fullmatch(name) else f"`reknit show {name} --why` explains a run"
    raise UsageError(
        "no-rule", f"no rule and no check {name!r}", help=f"{shows}; `reknit explain rules` lists the rules"
    )
