"""The end of a check settles the bug before the run ends, and a cancelled check uses up no attempt."""

import asyncio
from dataclasses import replace
from pathlib import Path

from reknit.core.hook.mode import CheckResult, FixMode, begin
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import HookTarget
from reknit.store.fix_modes import SqlFixModes
from reknit.workflows.hook_check.steps import cancelled
from tests.tools.step_services import step_services


def test_a_cancelled_check_is_no_attempt(tmp_path: Path, shop: Path) -> None:
    with step_services(tmp_path, shop) as (services, spec):
        modes = services.fix_modes
        assert isinstance(modes, SqlFixModes)
        modes.add(FixMode("r-m", str(shop), spec.base, begin("BUG-001", "t.py", 3), 1.0, "w1", spec.run_id), "")
        order = replace(spec, hook=HookTarget("r-m", 1, spec.base))
        asyncio.run(cancelled(services, order, Ending("CANCELLED", "by a person")))
        [mode] = modes.of(str(shop))
        assert (mode.check, mode.bug.attempt, mode.bug.last_error) == ("", 1, "by a person")
        assert modes.settle("r-m", spec.run_id, CheckResult("failed", "late")) == mode
