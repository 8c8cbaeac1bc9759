"""What the tests on base show, and when an earlier run has seen it already."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from reknit.core.fix_tests.baseline import KEPT_S, Baseline
from reknit.core.fix_tests.task import FixTests
from reknit.core.languages.python.runners import build_pytest_command as pytest_command
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import RunnerCall
from reknit.store.runs.ledger import SqlRunLedger
from reknit.workflows.fix_tests.base_runs import forget_runs_on_base, look_at_base, remember_baseline
from reknit.workflows.fix_tests.verification import save_baseline
from reknit.workflows.runtime.services import Services
from tests.tools.plain_python import plain_bin
from tests.workflows.shared.conftest import Scene


@pytest.fixture
def selecting(scene: Scene) -> Scene:
    """The same with a runner that can run single tests."""
    services, spec = scene
    return services, replace(
        spec, run_id="first", tests=pytest_command(RunnerCall((f"{plain_bin()}/python3", "-m", "pytest")))
    )


def observed(services: Services, spec: RunSpec) -> Baseline:
    ledger = services.ledger
    assert isinstance(ledger, SqlRunLedger)
    ledger.create(spec)
    services.workspace(spec).ensure_commits()
    baseline = asyncio.run(look_at_base(services, spec))
    save_baseline(services, spec, baseline)
    remember_baseline(services, spec, baseline)
    forget_runs_on_base(services, spec)
    return baseline


def test_the_next_run_on_the_same_tree_runs_only_what_was_red(selecting: Scene) -> None:
    services, spec = selecting
    first = observed(services, spec)
    again = observed(services, replace(spec, run_id="second"))
    assert (first.seen_in, again.seen_in) == ("", spec.run_id)
    assert (again.findings, again.passing, again.test_files) == (first.findings, first.passing, first.test_files)
    assert [run.tests for run in again.ran] == [first.passing_count + 1, 1]
    assert (again.ran[0].times, again.ran[1].times) == (0, again.runs)
    assert observed(services, replace(spec, run_id="third")).seen_in == spec.run_id, "the run that ran all of it"


Change = Callable[[Services, RunSpec], tuple[Services, RunSpec]]
CHANGES: dict[str, Change] = {
    "it was asked for again": lambda services, spec: (
        services,
        replace(spec, task=replace(spec.task_as(FixTests), again=True)),
    ),
    "a package was installed": lambda services, spec: (replace(services, environment=lambda _: "new"), spec),
    "the environment is not known": lambda services, spec: (replace(services, environment=lambda _: ""), spec),
    "it is too long ago": lambda services, spec: (replace(services, clock=lambda: time.time() + KEPT_S + 60), spec),
    "another time limit": lambda services, spec: (
        services,
        replace(spec, limits=replace(spec.limits, test_wall_s=spec.limits.test_wall_s + 1)),
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_whole_suite_is_run_again_if(change: Change, selecting: Scene) -> None:
    services, spec = selecting
    first = observed(services, spec)
    baseline = observed(*change(services, replace(spec, run_id="second")))
    assert (baseline.seen_in, baseline.ran[0].times, baseline.passing) == ("", 1, first.passing)


def test_the_whole_suite_is_run_again_if_a_red_test_passes_now(selecting: Scene) -> None:
    services, spec = selecting
    first = observed(services, spec)
    gone = replace(first, red_elsewhere=("tests/test_pricing.py::PricingTest::test_without_discount",))
    save_baseline(services, spec, gone)
    baseline = observed(services, replace(spec, run_id="second"))
    assert (baseline.seen_in, baseline.findings) == ("", first.findings)


def test_a_baseline_that_was_not_saved_is_not_used(selecting: Scene) -> None:
    services, spec = selecting
    observed(services, spec)
    services.ledger.put_document(spec.run_id, "baseline", "")
    assert observed(services, replace(spec, run_id="second")).seen_in == ""


def test_a_run_that_is_killed_after_its_baseline_was_saved_runs_nothing_again(selecting: Scene) -> None:
    services, spec = selecting
    first = observed(services, spec)
    broken = replace(spec, tests=replace(spec.tests, argv=("true",)))
    assert asyncio.run(look_at_base(services, broken)) == first


def test_an_environment_that_changed_while_a_run_was_killed_is_not_remembered(selecting: Scene) -> None:
    services, spec = selecting
    ledger = services.ledger
    assert isinstance(ledger, SqlRunLedger)
    ledger.create(spec)
    services.workspace(spec).ensure_commits()
    asyncio.run(look_at_base(services, spec))
    newer = replace(services, environment=lambda _: "new")
    observed(newer, spec)
    assert observed(newer, replace(spec, run_id="second")).seen_in == ""


def test_without_every_project_nothing_is_remembered(selecting: Scene) -> None:
    services, spec = selecting
    unready = replace(spec, unready=(((), "`npm test` cannot run here", ""),))
    assert len(observed(services, unready).left_out) == 1
    again = observed(services, replace(unready, run_id="second"))
    assert (again.seen_in, len(again.left_out)) == ("", 1)


def test_what_gives_no_result_alone_is_looked_at_in_a_second_run_of_the_whole_suite(selecting: Scene) -> None:
    services, spec = selecting
    unknown = replace(spec, tests=replace(spec.tests, select=("--no-such-option", *spec.tests.select)))
    baseline = observed(services, unknown)
    assert (baseline.status, baseline.ran[0].times) == ("red", 2)
