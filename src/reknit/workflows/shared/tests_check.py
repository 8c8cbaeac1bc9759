"""The tests of one commit, run in fresh trees; a tree that was tested is not tested again."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from reknit.core.checks import tests as tests_check
from reknit.core.checks.status import TestsResult
from reknit.core.projects.merge import filter_selectable
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.proof import RunRecord, record_run, sum_runs
from reknit.core.testing.report import TestReport
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.repository_facts import collect_tree_facts
from reknit.workflows.shared.saved_values import load_value, save_value
from reknit.workflows.shared.work_folders import run_tests


async def run_tests_check(services: Services, spec: RunSpec, name: str, commit: str, errors: int = 0) -> TestsResult:
    """Run the tests of a commit, unless its tree has a result. `errors`: earlier tries with an error are repeated."""
    await asyncio.to_thread(services.workspace(spec).ensure_commits, commit)
    if earlier := load_tests_result(services, spec, commit, errors):
        return replace(earlier, seconds=0.0)
    runs: list[RunRecord] = []

    async def run(label: str, only: Sequence[str] = ()) -> TestReport:
        report = await run_tests(services, spec, f"{name}{label}", commit, only=only)
        runs.append(record_run(tests_check.describe_suite_run(commit, alone=bool(only)), report, services.clock()))
        return report

    whole = await run("")
    again = await _second_look(spec, whole, run) if whole.failed else None
    red = tests_check.list_always_red(whole, again)
    facts = await asyncio.to_thread(collect_tree_facts, services, spec, commit, whole, red)
    result = tests_check.add_unready_projects(tests_check.judge_commit_tests(whole, again, facts), spec.unready)
    result = replace(result, seconds=sum(run.seconds for run in runs), ran=sum_runs(runs))
    return save_value(services, spec, _name(services, spec, commit), result, errors)


async def _second_look(spec: RunSpec, whole: TestReport, run: Callable[..., Awaitable[TestReport]]) -> TestReport:
    """Run the red tests alone; the whole suite again only if one is not red then, or cannot be run alone."""
    red = sorted(whole.failed)
    if [*filter_selectable(red, spec.projects)] == red:
        alone = await run("-red", red)
        if tests_check.is_all_red(red, alone):
            return alone
    return await run("-again")


def list_test_runs(services: Services, spec: RunSpec, *commits: str) -> tuple[RunRecord, ...]:
    """Return the test runs that were made on these commits, for a receipt."""
    results = (load_tests_result(services, spec, commit) for commit in commits)
    return tuple(run for result in results if result for run in result.ran)


def load_tests_result(services: Services, spec: RunSpec, commit: str, errors: int = 0) -> TestsResult | None:
    """Return the saved result of the commit's tree, if there is one."""
    result = load_value(services, spec, _name(services, spec, commit), errors)
    return result if isinstance(result, TestsResult) else None


def _name(services: Services, spec: RunSpec, commit: str) -> str:
    return f"tests-{services.workspace(spec).repository.tree_of(commit)}"
