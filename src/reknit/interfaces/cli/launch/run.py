"""Starts a run for a person and reports its ending; shared by `fix`, `vote`, `demo` and `resume`."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from reknit.app.installation import Installation
from reknit.app.runs import foreground
from reknit.app.start import readiness
from reknit.app.start.fix_pr import plan_fix_pr
from reknit.app.start.fix_tests import Plan, plan_fix_tests
from reknit.core.fix_pr.output.record import record_in
from reknit.core.run_text import at_step, ending_document, ending_text
from reknit.core.runs.ending import INTERRUPTED_EXIT_CODE, exit_code_of
from reknit.core.runs.spec import RunSpec, beside
from reknit.core.runs.view import RunView
from reknit.core.vote.record import tally_in
from reknit.interfaces.cli.output.choose_view import choose_output
from reknit.interfaces.cli.output.echo import echo
from reknit.interfaces.cli.output.lines import RunOutput, columns
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader


def fix_tests(
    place: Installation, folder: Path, tests: Sequence[str], flags: Mapping[str, Any], form: str,
    *, again: bool = False, queue: bool = False,
) -> int:  # fmt: skip
    plan = plan_fix_tests(place, folder, tests, flags, again=again)
    readiness.check(place, plan.spec)
    if queue:
        _notes(plan)
        return queued(place, plan.spec, form)
    _head(plan)
    _notes(plan)
    return run_and_report(place, form, lambda voice: foreground.start(place, plan.spec, voice.tell, voice.tick))


def fix_pr(
    place: Installation, folder: Path, number: int | None, flags: Mapping[str, Any], form: str, *,
    slug: str = "", queue: bool = False, attended: bool = False,
) -> int:  # fmt: skip
    """`slug`: the repository it belongs to, if given."""
    plan = plan_fix_pr(place, folder, number, flags, slug=slug, attended=attended and not queue)
    readiness.check(place, plan.spec)
    spec, target = plan.spec, plan.target
    reviews = f", {target.reviewer.name} reviews" if target.reviewer else ", no reviewer"
    cap = f"at most {target.limits.iterations} iterations and ${spec.limits.budget_usd:.2f}"
    echo(f"{spec.run_id}  #{target.number} {target.title}", err=True)
    echo(f"  {', then '.join(agent.name for agent in spec.agents)} fixes{reviews}, {cap}", err=True)
    for note in (*sandbox_notice(spec), *plan.notes):
        echo(f"  note  {note}", err=True)
    if queue:
        return queued(place, spec, form)
    return run_and_report(
        place, form, lambda voice: foreground.start(place, spec, voice.tell, voice.tick), pull_run=spec.run_id
    )


def run_and_report(
    place: Installation, form: str, go: Callable[[RunOutput], RunView], *, pull_run: str = "", leave: str = ""
) -> int:
    """`pull_run`: a run on a pull request, which has a different view. `leave`: what Ctrl-C does instead of parking."""
    reader = RunReader(open_store(place.database))
    with choose_output(
        form, (lambda name: reader.document(pull_run, name)) if pull_run else None, leave=leave
    ) as voice:
        run = go(voice)
    attempts, receipts = reader.attempts(run.id), reader.receipts(run.id)
    if run.ending is None:
        return _interrupted(run, form)
    code = exit_code_of(run.ending, str(run.detail.get("cause", "")))
    if form == "json":
        votes = {"votes": _document(reader, run, "votes") or None} if run.kind == "vote" else {}
        echo(json.dumps({**ending_document(run, attempts, receipts, code), **votes}))
    else:
        record, tally = record_in(_document(reader, run, "course")), tally_in(_document(reader, run, "votes"))
        echo(("" if code else "\n") + ending_text(run, attempts, receipts, record, columns(), tally))
    return code


def _document(reader: RunReader, run: RunView, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(reader.document(run.id, name) or "{}")
    return found


def queued(place: Installation, spec: RunSpec, form: str) -> int:
    readiness.leave_to_a_worker(place, spec)
    run_id = spec.run_id
    if form == "json":
        echo(json.dumps({"schema": 1, "event": "queued", "run": run_id}))
    else:
        echo(f"{run_id} is queued: `reknit worker` takes it, `reknit watch {run_id}` follows it")
    return 0


def _interrupted(run: RunView, form: str) -> int:
    if form == "json":
        document = {"schema": 1, "event": "interrupted", "run": run.id, "phase": run.phase}
        document |= {"reason": run.reason} if run.reason else {}
        echo(json.dumps(document))
    where = "" if run.kind == "fix pr" else at_step(run)  # the table above shows it, and the command must not wrap
    why = f"parked: {run.reason}\n" if run.reason else "interrupted. "
    echo(f"\n{why}{run.id} is safe{where}: `reknit resume {run.id}`", err=True)
    return INTERRUPTED_EXIT_CODE


def _head(plan: Plan) -> None:
    spec = plan.spec
    cap = f"at most {spec.limits.attempts} attempts per test and ${spec.limits.budget_usd:.2f}"
    agents = ", then ".join(agent.name for agent in spec.agents)
    echo(f"{spec.run_id}  {agents}, {cap}", err=True)


def sandbox_notice(spec: RunSpec) -> list[str]:
    return ["box `host` is not a sandbox: agent and tests run with your permissions"] if spec.box == "host" else []


def _notes(plan: Plan) -> None:
    spec, notes = plan.spec, sandbox_notice(plan.spec)
    if unseen := beside(spec):
        notes.append(unseen)
    if plan.not_carried:
        notes.append(f"not shown to the box: {', '.join(plan.not_carried[:4])}")
    for note in notes:
        echo(f"  note  {note}", err=True)
