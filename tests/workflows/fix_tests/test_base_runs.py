"""A run of the suite on base that was finished is not repeated after a crash."""

import asyncio
from dataclasses import replace

from reknit.workflows.fix_tests.base_runs import forget_runs_on_base, run_on_base
from tests.workflows.shared.conftest import Scene


def test_a_finished_run_is_not_repeated_until_it_is_forgotten(scene: Scene) -> None:
    services, spec = scene
    seen = asyncio.run(run_on_base(services, spec, "base-0"))
    assert (seen.status, len(seen.failed)) == ("fail", 1)
    broken = replace(spec, tests=replace(spec.tests, argv=("true",)))
    assert asyncio.run(run_on_base(services, broken, "base-0")) == seen, "nothing was started"
    assert asyncio.run(run_on_base(services, broken, "base-1")).status == "error"
    forget_runs_on_base(services, spec)
    assert asyncio.run(run_on_base(services, broken, "base-0")).status == "error", "an error was not saved either"
