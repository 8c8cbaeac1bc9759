"""Checks the acceptance criteria of a plan at the end of its run, and writes the results into the plan."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from reknit.core.box import Command, CommandLimits
from reknit.core.checks.criteria import (
    CRITERIA_DOCUMENT,
    CheckedCriterion,
    apply_criteria,
    build_criteria_document,
    explain_timeout,
    judge_tests,
    report_criterion,
    report_unwritten_results,
)
from reknit.core.checks.status import TestsResult
from reknit.core.errors import InternalError, ReknitError
from reknit.core.fix_issues.task import FixIssues
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.fix_tests.task import FixTests
from reknit.core.planning.criteria import Check, CommandCheck, FactCheck, ProjectTests, parse_criterion
from reknit.core.planning.criterion_facts import PRESENCE, CriterionResult, find_file, judge_command, judge_fact
from reknit.core.planning.plan_file.results import insert_results, make_written_key
from reknit.core.planning.targets import VariantTarget
from reknit.core.review.task import ReviewChange
from reknit.core.runs.ending import ENVIRONMENT, Ending
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.report import TestReport
from reknit.core.text.format import join_and_count
from reknit.core.text.untrusted_input import GATE_LIMITS, UnfinishedWork
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.tests_check import run_tests_check
from reknit.workflows.shared.work_folders import close_folder, prepare_folder

Checked = tuple[CheckedCriterion, ...]
MAX_FILE_CHARS = 2_000_000
"""Maximum characters of a file; a criterion about a larger one is unverified."""
_ENV = {"PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}


async def check(services: Services, spec: RunSpec, commit: str, number: int, outage: str = "") -> CheckedCriterion:
    """Check one criterion. `outage`: why no run here says anything about the work; empty if there is no reason."""
    text = _plan(spec).criteria[number]
    await asyncio.to_thread(services.workspace(spec).ensure_commits, commit)
    check, started = parse_criterion(text), services.clock()
    if outage and isinstance(check, CommandCheck | ProjectTests):
        result = CriterionResult("unverified", outage)
    else:
        result = await _judge(services, spec, commit, number, check)
    checked = CheckedCriterion(text, result.state, result.text, services.clock() - started)
    services.ledger.put_event(spec.run_id, f"criterion-{number + 1}", report_criterion(number + 1, checked))
    return checked


async def write(services: Services, spec: RunSpec, checked: Checked) -> None:
    """Write the results under the criteria that the plan still has: a person may have edited it meanwhile."""
    plan, results = _plan(spec).plan, {criterion.text: criterion.result for criterion in checked}
    services.ledger.put_document(
        spec.run_id, CRITERIA_DOCUMENT, json.dumps(build_criteria_document(_plan(spec), checked))
    )
    files = services.working_tree
    try:
        if await asyncio.to_thread(files.read, spec.repository, plan):
            with_them = partial(_with_results, services, spec, results)
            await asyncio.to_thread(files.rewrite, spec.repository, plan, with_them)
        else:
            services.ledger.put_event(
                spec.run_id, "results-not-written", report_unwritten_results(plan, "it is not there any more")
            )
    except ReknitError as problem:
        services.ledger.put_event(spec.run_id, "results-not-written", report_unwritten_results(plan, problem.message))


def _with_results(services: Services, spec: RunSpec, results: Mapping[str, str], text: str) -> str:
    """Add the results. A plan that nobody has edited is still ours with them, so the next plan may replace it."""
    new, ledger, file = insert_results(text, results), services.ledger, _plan(spec).plan
    if ledger.find_answer(make_written_key(spec.repository, file, text)):
        ledger.record_answer(make_written_key(spec.repository, file, new), spec.run_id)
    return new


async def _judge(services: Services, spec: RunSpec, commit: str, number: int, check: Check) -> CriterionResult:
    name, only_reports = f"criterion-{number + 1}", isinstance(spec.task, ReviewChange) and spec.task.report_only
    if isinstance(check, CommandCheck):
        if only_reports and spec.box == "host":  # a model wrote the command, and no box would keep it from writing
            return CriterionResult("unverified", "a run that only reports runs no command outside a sandbox")
        return await _run(services, spec, name, commit, check)
    if isinstance(check, ProjectTests):
        if only_reports:
            return CriterionResult("unverified", "a run that only reports runs no tests")
        return judge_tests(check, await run_tests_check(services, spec, name, commit))
    if isinstance(check, FactCheck):
        return await _look_up_facts(services, spec, commit, check)
    return CriterionResult("unverified", check.why)


async def _run(services: Services, spec: RunSpec, name: str, commit: str, check: CommandCheck) -> CriterionResult:
    """Run the command in a tree of its own: files that one command leaves must not help the next."""
    try:
        view = await prepare_folder(services, spec, name, commit)
        if isinstance(view, TestReport):
            return CriterionResult("unverified", view.why)
        limits = CommandLimits(wall_s=spec.limits.test_wall_s, idle_s=spec.limits.test_wall_s)
        order = Command(("sh", "-c", check.command), env=_ENV, limits=limits, needs_services=True)
        ended = await services.box(spec.box).run(replace(view, services=spec.services), order)
        services.check_surroundings(spec)
        return judge_command(ended)
    finally:
        await close_folder(services, spec, name)


async def _look_up_facts(services: Services, spec: RunSpec, commit: str, check: FactCheck) -> CriterionResult:
    repository = services.workspace(spec).repository
    paths = frozenset(await asyncio.to_thread(repository.paths, commit))
    path = find_file(check, paths)
    if check.kind in PRESENCE:
        text = "" if path in paths else None
    elif path in await asyncio.to_thread(repository.links, commit):  # behind a link is another text, or none
        return CriterionResult("unverified", f"not read, because it is a link: {path}")
    else:
        text = await asyncio.to_thread(repository.read, commit, path) if path in paths else None
    if text and len(text) > MAX_FILE_CHARS:
        return CriterionResult(
            "unverified", f"not read, because it has more than {MAX_FILE_CHARS:,} characters: {path}"
        )
    result = await services.calls.run(GATE_LIMITS, judge_fact, check, path, text)
    return CriterionResult("unverified", f"looking {result.why}") if isinstance(result, UnfinishedWork) else result


def _plan(spec: RunSpec) -> VariantTarget:
    if (variant := _find_plan(spec)) is None:
        raise InternalError("no-target", f"{spec.run_id} was not started by a plan")
    return variant


def _find_plan(spec: RunSpec) -> VariantTarget | None:
    task = spec.task
    return task.variant if isinstance(task, FixIssues | FixPullRequest | FixTests | ReviewChange) else None


async def explain_failed_criteria(
    services: Services, spec: RunSpec, commit: str, numbers: Sequence[int], tests: TestsResult
) -> str:
    """Return which of these criteria a commit fails; empty: none. `tests`: their result on that commit."""
    failures: list[str] = []
    for number in numbers:
        check = parse_criterion(_plan(spec).criteria[number])
        result = None
        if isinstance(check, FactCheck):
            result = await _look_up_facts(services, spec, commit, check)
        elif isinstance(check, ProjectTests):
            result = judge_tests(check, tests)
        if result and result.state == "failed":
            failures.append(f"{check.text} ({result.text})")
    return f"the plan asks after this task: {join_and_count(failures, between='; ')}" if failures else ""


check_criterion = step("check_criterion.v1", preemptible=True)(check)
write_results = step("write_results.v1")(write)


async def check_criteria(spec: RunSpec, commit: str, ending: Ending) -> Ending:
    """Check all criteria of the run's plan, write the results, and return the ending with them.

    `ending`: the run's ending without its criteria, which is returned if no plan started the run.
    """
    if (plan := _find_plan(spec)) is None:
        return ending
    outage = ending.reason if ending.cause == ENVIRONMENT else ""
    checked: Checked = ()
    for number in range(len(plan.criteria)):
        why_not = outage or explain_timeout(checked, spec.limits.timeout_s)
        checked = (*checked, await check_criterion(spec, commit, number, why_not))
    await write_results(spec, checked)
    return apply_criteria(ending, checked, plan.left_out)
