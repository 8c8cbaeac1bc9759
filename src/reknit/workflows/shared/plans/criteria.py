"""At the end of a run that a plan allowed: its acceptance criteria are checked, and their results go into the plan."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from reknit.core.box import Command, CommandLimits
from reknit.core.checks.criteria import (
    SAVED,
    CheckedCriterion,
    criteria_document,
    criterion_event,
    not_written,
    out_of_time,
)
from reknit.core.checks.criterion_tests import judge_tests
from reknit.core.errors import InternalError, ReknitError
from reknit.core.planning.criteria import Check, CommandCheck, FactCheck, ProjectTests, parse_criterion
from reknit.core.planning.criterion_commands import judge_command
from reknit.core.planning.criterion_facts import PRESENCE, CriterionResult, files_needed, judge_fact
from reknit.core.planning.plan_file.results import with_results
from reknit.core.planning.plan_file.written import written_key
from reknit.core.planning.targets import VariantTarget
from reknit.core.runs.ending import ENVIRONMENT, Ending
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.report import TestReport
from reknit.core.text.work_limits import GATE_LIMITS, Unfinished
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.tests_check import run_tests_check
from reknit.workflows.shared.work_folders import close_folder, prepare_folder

Checked = tuple[CheckedCriterion, ...]
MOST_FILE_CHARS, MOST_CHARS = 2_000_000, 50_000_000
"""Of one file, and of all for one criterion; what is beyond is not read, so the criterion is unverified."""
_ENV = {"PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}


async def check(services: Services, spec: RunSpec, commit: str, number: int, broken: str = "") -> CheckedCriterion:
    """`broken`: why nothing that runs here says anything about the work; empty: it does."""
    text = _plan(spec).criteria[number]
    await asyncio.to_thread(services.workspace(spec).ready, commit)
    check, started = parse_criterion(text), services.clock()
    if broken and isinstance(check, CommandCheck | ProjectTests):
        seen = CriterionResult("unverified", broken)
    else:
        seen = await _judged(services, spec, commit, number, check)
    checked = CheckedCriterion(text, seen.state, seen.text, services.clock() - started)
    services.ledger.event(spec.run_id, f"criterion-{number + 1}", criterion_event(number + 1, checked))
    return checked


async def write(services: Services, spec: RunSpec, checked: Checked) -> None:
    """A person may have edited the plan meanwhile: only what is under the criteria that it still has is written."""
    plan, results = _plan(spec).plan, {each.text: each.result for each in checked}
    services.ledger.put_document(spec.run_id, SAVED, json.dumps(criteria_document(_plan(spec), checked)))
    files = services.working_tree
    try:
        if await asyncio.to_thread(files.read, spec.repository, plan):
            with_them = partial(_with_results, services, spec, results)
            await asyncio.to_thread(files.rewrite, spec.repository, plan, with_them)
        else:
            services.ledger.event(spec.run_id, "results-not-written", not_written(plan, "it is not there any more"))
    except ReknitError as problem:
        services.ledger.event(spec.run_id, "results-not-written", not_written(plan, problem.what))


def _with_results(services: Services, spec: RunSpec, results: Mapping[str, str], text: str) -> str:
    """A plan that nobody has edited is still ours with its results, so that the next plan may replace it."""
    new, ledger, file = with_results(text, results), services.ledger, _plan(spec).plan
    if ledger.remembered(written_key(spec.repository, file, text)):
        ledger.remember(written_key(spec.repository, file, new), spec.run_id)
    return new


async def _judged(services: Services, spec: RunSpec, commit: str, number: int, check: Check) -> CriterionResult:
    name, only_reports = f"criterion-{number + 1}", bool(spec.review and spec.review.report_only)
    if isinstance(check, CommandCheck):
        if only_reports and spec.box == "host":  # a model wrote the command, and no box would keep it from writing
            return CriterionResult("unverified", "a run that only reports runs no command outside a sandbox")
        return await _run(services, spec, name, commit, check)
    if isinstance(check, ProjectTests):
        if only_reports:
            return CriterionResult("unverified", "a run that only reports runs no tests")
        return judge_tests(check, await run_tests_check(services, spec, name, commit))
    if isinstance(check, FactCheck):
        return await _looked_up(services, spec, commit, check)
    return CriterionResult("unverified", check.why)


async def _run(services: Services, spec: RunSpec, name: str, commit: str, check: CommandCheck) -> CriterionResult:
    """In a tree of its own: what one command leaves behind must not help the next."""
    try:
        view = await prepare_folder(services, spec, name, commit)
        if isinstance(view, TestReport):
            return CriterionResult("unverified", view.why)
        limits = CommandLimits(wall_s=spec.limits.test_wall_s, idle_s=spec.limits.test_wall_s)
        order = Command(("sh", "-c", check.command), env=_ENV, limits=limits, needs_services=True)
        ended = await services.box(spec.box).run(replace(view, services=spec.services), order)
        services.check_surroundings(spec)
        return judge_command(check, ended)
    finally:
        await close_folder(services, spec, name)


async def _looked_up(services: Services, spec: RunSpec, commit: str, check: FactCheck) -> CriterionResult:
    repository = services.workspace(spec).repository
    there = frozenset(await asyncio.to_thread(repository.paths, commit))
    files: dict[str, str | None] = {}
    needed = files_needed(check, there)
    # Behind a link is another text, or none.
    links = () if check.kind in PRESENCE else await asyncio.to_thread(repository.links, commit)
    left = MOST_CHARS
    for path in (each for each in needed if each not in links):
        if left <= 0:
            break
        text = await asyncio.to_thread(repository.read, commit, path) if path in there else None
        left -= len(text or "")
        if text is None or len(text) <= MOST_FILE_CHARS:
            files[path] = text
    seen = await services.calls.run(GATE_LIMITS, judge_fact, check, files, needed)
    return CriterionResult("unverified", f"looking {seen.why}") if isinstance(seen, Unfinished) else seen


def _plan(spec: RunSpec) -> VariantTarget:
    if spec.variant is None:
        raise InternalError("no-target", f"{spec.run_id} was not started by a plan")
    return spec.variant


check_criterion = step("check_criterion.v1", preemptible=True)(check)
write_results = step("write_results.v1")(write)


async def settled_criteria(spec: RunSpec, commit: str, ending: Ending) -> Checked:
    """`ending`: of the run without its criteria."""
    broken = ending.reason if ending.cause == ENVIRONMENT else ""
    checked: Checked = ()
    for number in range(len(_plan(spec).criteria)):
        why_not = broken or out_of_time(checked, spec.limits.timeout_s)
        checked = (*checked, await check_criterion(spec, commit, number, why_not))
    await write_results(spec, checked)
    return checked
