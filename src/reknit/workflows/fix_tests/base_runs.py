"""Runs of the tests on base, and what they show together."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace

from reknit.core.fix_tests import events
from reknit.core.fix_tests.baseline import Baseline, always_red, settle, with_unready_projects
from reknit.core.fix_tests.findings import TreeKnowledge
from reknit.core.fix_tests.flakiness import RUNS_ALONE, are_seen, may_run_again_on_base
from reknit.core.fix_tests.remembered_baseline import (
    ALONE,
    WHOLE,
    is_usable,
    is_worth_remembering,
    red_tests,
    seen_again,
    whole_seconds,
)
from reknit.core.runs.question import baseline_key
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.made_runs import MadeRun, made_run, summed
from reknit.core.testing.projects.merge import drop_unseen_projects, selectable
from reknit.core.testing.report import TestReport
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.proofs.saved_runs import forget_runs, run_document, run_once
from reknit.workflows.shared.tree_facts import facts_of, recently_changed

SLOW_S = 10.0
"""A run of the suite that takes longer is reported when it is finished."""
_ALONE = ("base-red", *(f"base-red-{number}" for number in range(1, RUNS_ALONE)))
_KNOWN_RED = tuple(f"base-known-{number}" for number in range(RUNS_ALONE))
_KEY, _UNKNOWN = "base-key", "unknown"
_NAMES = ("base-0", "base-1", *_ALONE, *_KNOWN_RED, _KEY)


async def look_at_base(services: Services, spec: RunSpec) -> Baseline:
    """What an earlier run saw on the same tree is used if everything that was red then is red now."""
    if kept := services.ledger.document(spec.run_id, "baseline"):  # this run was killed just after it was saved
        seen: Baseline = CODEC.deserialize(kept)
        return seen
    key = await asyncio.to_thread(_key, services, spec)
    if not services.ledger.document(spec.run_id, run_document(_KEY)):
        services.ledger.put_document(spec.run_id, run_document(_KEY), key or _UNKNOWN)
    earlier = services.ledger.remembered(key) if key and not spec.again else ""
    baseline = await _look_again(services, spec, earlier) or await _look(services, spec)
    return with_unready_projects(baseline, spec.unready)


def remember_baseline(services: Services, spec: RunSpec, baseline: Baseline) -> None:
    """For the next run, once it is saved, and if the environment is still that of its first test run."""
    key = _key(services, spec) if is_worth_remembering(baseline) else ""
    if key and key == services.ledger.document(spec.run_id, run_document(_KEY)):
        services.ledger.remember(key, spec.run_id)


async def _look(services: Services, spec: RunSpec) -> Baseline:
    first, ran = await run_on_base(services, spec, "base-0")
    whole, made, alone = [drop_unseen_projects(first)], [ran], list[TestReport]()
    skip = [command for command, *_ in whole[0].no_result]

    async def run(name: str, into: list[TestReport], only: Sequence[str] = ()) -> None:
        report, ran = await run_on_base(services, spec, name, only, skip)
        into.append(report)
        made.append(ran)

    red = sorted(whole[0].failed)
    only = selectable(red, spec.projects)
    if len(only) < len(red):  # for what cannot be run alone, only the whole suite shows whether it is flaky
        await run("base-1", whole)
        only = selectable(red := always_red(whole), spec.projects)
    if only:
        await run(_ALONE[0], alone, only)
        if len(whole) == 1 and not are_seen(only, alone[0]):
            await run("base-1", whole)
    facts = await asyncio.to_thread(facts_of, services, spec, spec.base, whole[0], red)
    recent = await asyncio.to_thread(recently_changed, services, spec, spec.base)
    tree = TreeKnowledge(facts, recent, tuple(project.folder for project in spec.projects))
    baseline = settle(whole, alone, spec.named, tree)
    while alone and baseline.findings and may_run_again_on_base(alone, whole[0].seconds):
        only = selectable([test for finding in baseline.findings for test in finding.tests], spec.projects)
        if not only:
            break
        await run(_ALONE[len(alone)], alone, only)
        baseline = settle(whole, alone, spec.named, tree)
    return replace(baseline, ran=summed(made))


async def _look_again(services: Services, spec: RunSpec, earlier: str) -> Baseline | None:
    """Only what was red in that run. None: there is none, or something has changed."""
    document = services.ledger.document(earlier, "baseline") if earlier else ""
    known = CODEC.deserialize(document) if document else None
    if not isinstance(known, Baseline) or not is_usable(known, services.clock()):
        return None
    alone, made = list[TestReport](), list[MadeRun]()
    seen: Baseline | None = known
    while seen and may_run_again_on_base(alone, whole_seconds(known)):
        report, ran = await run_on_base(services, spec, _KNOWN_RED[len(alone)], red_tests(known))
        alone.append(report)
        made.append(ran)
        seen = seen_again(known, earlier, alone, made)
    return seen


def _key(services: Services, spec: RunSpec) -> str:
    environment = services.environment(spec)
    tree = services.workspace(spec).repository.tree_of(spec.base)
    return baseline_key(spec, tree, environment) if environment else ""


async def run_on_base(
    services: Services, spec: RunSpec, name: str, only: Sequence[str] = (), skip: Collection[str] = ()
) -> tuple[TestReport, MadeRun]:
    """What it showed, and when."""
    report, at = await run_once(services, spec, name, spec.base, only, skip)
    if report.seconds >= SLOW_S:
        told = events.suite_ran(report, alone=bool(only))
        services.ledger.event(spec.run_id, f"suite-{name}", told)
    return report, made_run(ALONE if only else WHOLE, report, at)


def forget_runs_on_base(services: Services, spec: RunSpec) -> None:
    """The baseline has what they showed."""
    forget_runs(services, spec, _NAMES)
