"""A run of the tests that was finished is not repeated after a crash."""

import asyncio
import time
from dataclasses import replace

from reknit.core.checks.status import ReviewResult, TestsResult
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.shared.saved_values import forget_runs, load_value, run_once, save_value
from tests.workflows.shared.conftest import Scene


def test_a_finished_run_is_not_repeated_until_it_is_forgotten(scene: Scene) -> None:
    services, spec = scene
    seen, at = asyncio.run(run_once(services, spec, "one", spec.base))
    assert (seen.status, len(seen.failed)) == ("fail", 1)
    broken, later = replace(spec, tests=replace(spec.tests, argv=("true",))), replace(services, clock=lambda: at + 60)
    assert asyncio.run(run_once(later, broken, "one", spec.base)) == (seen, at), "nothing was started, nor is it newer"
    assert asyncio.run(run_once(services, broken, "two", spec.base))[0].status == "error"
    forget_runs(services, spec, ("one", "two", "never run"))
    assert asyncio.run(run_once(services, broken, "one", spec.base))[0].status == "error", (
        "an error was not saved either"
    )


def test_what_an_older_release_saved_has_no_time(scene: Scene) -> None:
    services, spec = scene
    asyncio.run(run_once(services, spec, "one", spec.base))
    saved = services.ledger.document(spec.run_id, "report-one")
    values = CODEC.deserialize(saved)
    del values["at"]
    services.ledger.put_document(spec.run_id, "report-one", CODEC.serialize(values))
    began = time.time()
    assert asyncio.run(run_once(services, spec, "one", spec.base))[1] >= began


def test_a_value_is_found_again_under_its_name(scene: Scene) -> None:
    services, spec = scene
    seen = TestsResult("pass", (), 3)
    assert save_value(services, spec, "tests-a", seen) is seen
    assert (load_value(services, spec, "tests-a"), load_value(services, spec, "tests-b")) == (seen, None)


def test_an_error_counts_for_its_own_try_only(scene: Scene) -> None:
    services, spec = scene
    failed = save_value(services, spec, "review", ReviewResult("error", why="it crashed"), 1)
    assert load_value(services, spec, "review", 1) == failed
    assert load_value(services, spec, "review", 2) is None, "the next try may succeed"
    good = save_value(services, spec, "review", ReviewResult("pass"), 2)
    assert load_value(services, spec, "review", 1) == good, "and then it counts for all"
