"""After a fix, the tools that reported are run again: RESOLVED means that they are silent, where they are there."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from reknit.core.fix_issues import tool_text
from reknit.core.fix_issues.decision import Work, worked_on
from reknit.core.fix_issues.progress import BacklogProgress
from reknit.core.fix_issues.step_results import BatchProof
from reknit.core.fix_issues.tool_decision import accepted_with, check, failed_since, moved, other_files
from reknit.core.issues.model import Issue
from reknit.core.runs.spec import RunSpec
from reknit.workflows.fix_issues import tool_runs
from reknit.workflows.fix_issues.saved_issues import kept_issues
from reknit.workflows.runtime.services import Services


async def ask_tools(
    services: Services, spec: RunSpec, progress: BacklogProgress, move: Work, held: BatchProof
) -> BatchProof:
    """The tests held. An issue that its tool still reports refuses the attempt; in the last one, only that issue."""
    if not spec.issues_target.tools:
        return held
    said = await _asked(services, spec, progress, move, held)
    if said.why:
        refused = tool_text.refused_by_tools(move.number, said.why)
        services.ledger.event(spec.run_id, f"attempt-{move.number}-tools", refused)
    return said


async def _asked(
    services: Services, spec: RunSpec, progress: BacklogProgress, move: Work, held: BatchProof
) -> BatchProof:
    before, after = await tool_runs.look(services, spec, spec.base), await tool_runs.look(services, spec, held.commit)
    if failed_since(before, after):  # is it the change, or the machine?
        before = await tool_runs.look(services, spec, spec.base, again=True)
        after = await tool_runs.look(services, spec, held.commit, again=True)
    if failed := failed_since(before, after):
        return replace(held, why=tool_text.no_result(failed), word="unproven")
    batch = progress.issues_of(move.batch) if move.batch else ()
    wanted = {*worked_on(progress, spec.issues_target), *batch}
    issues = kept_issues(services, spec)
    seen = check(before, after, issues, wanted)
    elsewhere = await _moved(services, spec, held.commit, issues, seen.silent)
    if isinstance(elsewhere, str):
        return replace(held, why=elsewhere, word="unproven")
    still = tuple(sorted((*seen.still, *elsewhere)))
    held = replace(held, checked=(*held.checked, *(issue for issue in seen.silent if issue not in elsewhere)))
    last = move.tried + 1 >= spec.limits.attempts
    if accepted_with(still, progress.still, batch, last=last):
        return replace(held, still=still)
    new = [issue for issue in still if issue not in progress.still]
    return replace(held, why=tool_text.still_reported(after, new, issues), word="unproven")


async def _moved(
    services: Services, spec: RunSpec, commit: str, issues: Sequence[Issue], silent: Sequence[int]
) -> tuple[int, ...] | str:
    """Return the issues that the change only moved to another file, or why the tools cannot tell."""
    repository = services.workspace(spec).repository
    change = await asyncio.to_thread(repository.change, spec.base, commit)
    files = other_files(change.paths, issues) if silent else ()
    if not files:
        return ()
    before, after = [await tool_runs.look(services, spec, rev, files=files) for rev in (spec.base, commit)]
    if failed := failed_since(before, after):
        return tool_text.no_result(failed)
    return moved(before, after, issues, silent)


def said_by_tools(services: Services, spec: RunSpec, progress: BacklogProgress, done: Sequence[int]) -> tuple[str, ...]:
    """For the receipt."""
    before = tool_runs.known_look(services, spec, spec.base)
    after = tool_runs.known_look(services, spec, progress.head)
    if before is None or after is None:
        return ()
    checked = check(before, after, kept_issues(services, spec), done)
    return tool_text.receipt_lines_of(progress, checked, after, done)
