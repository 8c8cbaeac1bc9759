"""The tests of one commit: run in a fresh tree, twice where one is red, and never again for the same tree."""

import asyncio
from dataclasses import replace

from reknit.workflows.shared.tests_check import known_tests, run_tests_check
from tests.workflows.shared.conftest import Scene


def test_a_tree_that_was_tested_is_not_tested_again(scene: Scene) -> None:
    services, spec = scene
    assert known_tests(services, spec, spec.base) is None
    seen = asyncio.run(run_tests_check(services, spec, "base", spec.base))
    assert (seen.status, seen.passed, [one.subject.rpartition("::")[2] for one in seen.findings]) == (
        "fail", 2, ["test_discount_is_a_share"],
    )  # fmt: skip
    broken = replace(spec, tests=replace(spec.tests, argv=("true",)))
    again = asyncio.run(run_tests_check(services, broken, "again", spec.base))
    assert again == replace(seen, seconds=0.0), "nothing was started"
    assert known_tests(services, spec, spec.base) == seen


def test_tests_that_could_not_run_are_tried_again(scene: Scene) -> None:
    services, spec = scene
    broken = replace(spec, tests=replace(spec.tests, argv=("true",)))
    assert asyncio.run(run_tests_check(services, broken, "base", spec.base)).status == "error"
    assert known_tests(services, spec, spec.base, 1) is None
    assert asyncio.run(run_tests_check(services, spec, "base", spec.base, 1)).status == "fail"
