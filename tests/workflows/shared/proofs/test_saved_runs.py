"""A run of the tests that was finished is not repeated after a crash."""

import asyncio
import time
from dataclasses import replace

from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.shared.proofs.saved_runs import forget_runs, run_once
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
