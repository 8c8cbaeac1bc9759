"""Runs of the tests on base, and what they show together."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace

from reknit.core.fix_tests import events
from reknit.core.fix_tests.baseline import (
    ALONE,
    WHOLE,
    Baseline,
    add_unready_projects,
    decide_baseline,
    find_always_red,
    find_whole_seconds,
    is_usable,
    is_worth_remembering,
    list_red_tests,
    renew_baseline,
)
from reknit.core.fix_tests.findings import TreeKnowledge
from reknit.core.fix_tests.flakiness import RUNS_ALONE, have_results, may_run_again_on_base
from reknit.core.fix_tests.task import FixTests
from reknit.core.projects.merge import drop_unseen_projects, filter_selectable
from reknit.core.runs.reuse_keys import make_baseline_key
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.proof import RunRecord, record_run, sum_runs
from reknit.core.testing.report import TestReport
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.repository_facts import collect_tree_facts, list_recently_changed
from reknit.workflows.shared.saved_values import document_name, forget_runs, run_once

SLOW_S = 10.0
"""A run of the suite that takes longer is reported when it is finished."""
_ALONE = ("base-red", *(f"base-red-{number}" for number in range(1, RUNS_ALONE)))
_RED_AGAIN = tuple(f"base-known-{number}" for number in range(RUNS_ALONE))
_KEY, _UNKNOWN = "base-key", "unknown"
_NAMES = ("base-0", "base-1", *_ALONE, *_RED_AGAIN, _KEY)


async def look_at_base(services: Services, spec: RunSpec) -> Baseline:
    """Return the baseline. That of an earlier run on the same tree is used if everything red in it is red now."""
    if saved := services.ledger.document(spec.run_id, "baseline"):  # this run was killed just after it was saved
        saved_baseline: Baseline = CODEC.deserialize(saved)
        return saved_baseline
    key = await asyncio.to_thread(_baseline_key, services, spec)
    if not services.ledger.document(spec.run_id, document_name(_KEY)):
        services.ledger.put_document(spec.run_id, document_name(_KEY), key or _UNKNOWN)
    earlier = services.ledger.find_answer(key) if key and not spec.task_as(FixTests).again else ""
    baseline = await _confirm_earlier_baseline(services, spec, earlier) or await _measure_base(services, spec)
    return add_unready_projects(baseline, spec.unready)


def remember_baseline(services: Services, spec: RunSpec, baseline: Baseline) -> None:
    """Remember the baseline for the next run, if the environment is still that of the first test run."""
    key = _baseline_key(services, spec) if is_worth_remembering(baseline) else ""
    if key and key == services.ledger.document(spec.run_id, document_name(_KEY)):
        services.ledger.record_answer(key, spec.run_id)


async def _measure_base(services: Services, spec: RunSpec) -> Baseline:
    first, ran = await run_on_base(services, spec, "base-0")
    whole, runs, alone = [drop_unseen_projects(first)], [ran], list[TestReport]()
    skip = [command for command, *_ in whole[0].no_result]

    async def run(name: str, into: list[TestReport], only: Sequence[str] = ()) -> None:
        report, ran = await run_on_base(services, spec, name, only, skip)
        into.append(report)
        runs.append(ran)

    red = sorted(whole[0].failed)
    only = filter_selectable(red, spec.projects)
    if len(only) < len(red):  # for what cannot be run alone, only the whole suite shows whether it is flaky
        await run("base-1", whole)
        only = filter_selectable(red := find_always_red(whole), spec.projects)
    if only:
        await run(_ALONE[0], alone, only)
        if len(whole) == 1 and not have_results(only, alone[0]):
            await run("base-1", whole)
    facts = await asyncio.to_thread(collect_tree_facts, services, spec, spec.base, whole[0], red)
    recent = await asyncio.to_thread(list_recently_changed, services, spec, spec.base)
    tree = TreeKnowledge(facts, recent, tuple(project.folder for project in spec.projects))
    baseline = decide_baseline(whole, alone, spec.task_as(FixTests).named_tests, tree)
    while alone and baseline.findings and may_run_again_on_base(alone, whole[0].seconds):
        only = filter_selectable([test for finding in baseline.findings for test in finding.tests], spec.projects)
        if not only:
            break
        await run(_ALONE[len(alone)], alone, only)
        baseline = decide_baseline(whole, alone, spec.task_as(FixTests).named_tests, tree)
    return replace(baseline, ran=sum_runs(runs))


async def _confirm_earlier_baseline(services: Services, spec: RunSpec, earlier: str) -> Baseline | None:
    """Run only what was red in that run. None: there is no such run, or something has changed."""
    document = services.ledger.document(earlier, "baseline") if earlier else ""
    earlier_baseline = CODEC.deserialize(document) if document else None
    if not isinstance(earlier_baseline, Baseline) or not is_usable(earlier_baseline, services.clock()):
        return None
    alone, runs = list[TestReport](), list[RunRecord]()
    baseline: Baseline | None = earlier_baseline
    while baseline and may_run_again_on_base(alone, find_whole_seconds(earlier_baseline)):
        report, ran = await run_on_base(services, spec, _RED_AGAIN[len(alone)], list_red_tests(earlier_baseline))
        alone.append(report)
        runs.append(ran)
        baseline = renew_baseline(earlier_baseline, earlier, alone, runs)
    return baseline


def _baseline_key(services: Services, spec: RunSpec) -> str:
    environment = services.environment(spec)
    tree = services.workspace(spec).repository.tree_of(spec.base)
    return make_baseline_key(spec, spec.task_as(FixTests).named_tests, tree, environment) if environment else ""


async def run_on_base(
    services: Services, spec: RunSpec, name: str, only: Sequence[str] = (), skip: Collection[str] = ()
) -> tuple[TestReport, RunRecord]:
    """Run the tests on base once. Returns the report, and the run as a receipt lists it."""
    report, at = await run_once(services, spec, name, spec.base, only, skip)
    if report.seconds >= SLOW_S:
        event = events.report_suite_run(report, alone=bool(only))
        services.ledger.put_event(spec.run_id, f"suite-{name}", event)
    return report, record_run(ALONE if only else WHOLE, report, at)


def forget_runs_on_base(services: Services, spec: RunSpec) -> None:
    """Forget the saved runs: the baseline has their results."""
    forget_runs(services, spec, _NAMES)
