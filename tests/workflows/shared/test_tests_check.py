"""The tests of one commit: run in a fresh tree, what is red twice, and never again for the same tree."""

import asyncio
from dataclasses import replace

from reknit.core.languages.python.runners import build_pytest_command as pytest_command
from reknit.core.testing.command import RunnerCall
from reknit.workflows.shared.tests_check import list_test_runs, load_tests_result, run_tests_check
from tests.tools.plain_python import plain_bin
from tests.workflows.shared.conftest import Scene


def test_a_tree_that_was_tested_is_not_tested_again(scene: Scene) -> None:
    services, spec = scene
    assert load_tests_result(services, spec, spec.base) is None
    seen = asyncio.run(run_tests_check(services, spec, "base", spec.base))
    assert (seen.status, seen.passed, [one.subject.rpartition("::")[2] for one in seen.findings]) == (
        "fail", 2, ["test_discount_is_a_share"],
    )  # fmt: skip
    broken = replace(spec, tests=replace(spec.tests, argv=("true",)))
    again = asyncio.run(run_tests_check(services, broken, "again", spec.base))
    assert again == replace(seen, seconds=0.0), "nothing was started"
    assert load_tests_result(services, spec, spec.base) == seen


def test_tests_that_could_not_run_are_tried_again(scene: Scene) -> None:
    services, spec = scene
    broken = replace(spec, tests=replace(spec.tests, argv=("true",)))
    assert asyncio.run(run_tests_check(services, broken, "base", spec.base)).status == "error"
    assert load_tests_result(services, spec, spec.base, 1) is None
    assert asyncio.run(run_tests_check(services, spec, "base", spec.base, 1)).status == "fail"


def test_what_is_red_alone_too_needs_no_second_run_of_the_suite(scene: Scene) -> None:
    services, spec = scene
    selecting = replace(spec, tests=pytest_command(RunnerCall((f"{plain_bin()}/python3", "-m", "pytest"))))
    seen = asyncio.run(run_tests_check(services, selecting, "base", spec.base))
    commit = spec.base[:7]
    assert [(run.what, run.tests, run.times) for run in seen.ran] == [
        (f"the whole suite, on {commit}", 3, 1),
        (f"what is red, alone, on {commit}", 1, 1),
    ]
    assert (len(seen.findings), seen.flaky) == (1, ())
    assert list_test_runs(services, spec, spec.base) == seen.ran


def test_what_cannot_be_run_alone_needs_one(scene: Scene) -> None:
    services, spec = scene
    seen = asyncio.run(run_tests_check(services, spec, "base", spec.base))
    assert [(run.tests, run.times) for run in seen.ran] == [(3, 2)]
