"""The tests of one commit, run in fresh trees; a tree that was tested is not tested again."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from reknit.core.checks import tests as tests_check
from reknit.core.checks.status import TestsResult
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.made_runs import MadeRun, made_run, summed
from reknit.core.testing.projects.merge import selectable
from reknit.core.testing.report import TestReport
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.saved_values import load_value, save_value
from reknit.workflows.shared.tree_facts import facts_of
from reknit.workflows.shared.work_folders import run_tests


async def run_tests_check(services: Services, spec: RunSpec, name: str, commit: str, errors: int = 0) -> TestsResult:
    """`errors`: how many earlier tries ended in an error; such a try is repeated."""
    await asyncio.to_thread(services.workspace(spec).ready, commit)
    if known := known_tests(services, spec, commit, errors):
        return replace(known, seconds=0.0)
    runs: list[MadeRun] = []

    async def run(label: str, only: Sequence[str] = ()) -> TestReport:
        report = await run_tests(services, spec, f"{name}{label}", commit, only=only)
        runs.append(made_run(tests_check.what_ran(commit, alone=bool(only)), report, services.clock()))
        return report

    whole = await run("")
    again = await _second_look(spec, whole, run) if whole.failed else None
    red = tests_check.always_red(whole, again)
    facts = await asyncio.to_thread(facts_of, services, spec, commit, whole, red)
    seen = tests_check.with_unready_projects(tests_check.settle(whole, again, facts), spec.unready)
    seen = replace(seen, seconds=sum(each.seconds for each in runs), ran=summed(runs))
    return save_value(services, spec, _name(services, spec, commit), seen, errors)


async def _second_look(spec: RunSpec, whole: TestReport, run: Callable[..., Awaitable[TestReport]]) -> TestReport:
    """What is red, alone; the whole suite again only if something is not red then, or cannot be run alone."""
    red = sorted(whole.failed)
    if [*selectable(red, spec.projects)] == red:
        alone = await run("-red", red)
        if tests_check.is_all_red(red, alone):
            return alone
    return await run("-again")


def runs_behind(services: Services, spec: RunSpec, *commits: str) -> tuple[MadeRun, ...]:
    """The test runs that were made on these commits, for a receipt."""
    known = (known_tests(services, spec, commit) for commit in commits)
    return tuple(run for seen in known if seen for run in seen.ran)


def known_tests(services: Services, spec: RunSpec, commit: str, errors: int = 0) -> TestsResult | None:
    found = load_value(services, spec, _name(services, spec, commit), errors)
    return found if isinstance(found, TestsResult) else None


def _name(services: Services, spec: RunSpec, commit: str) -> str:
    return f"tests-{services.workspace(spec).repository.tree_of(commit)}"
