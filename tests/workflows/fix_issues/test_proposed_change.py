"""The whole change of a run may be as large as its batches together, also if tools made batches unnecessary."""

from dataclasses import replace
from pathlib import Path

import pytest

from reknit.core.runs.limits import IssueLimits
from reknit.core.runs.spec import Batch, IssuesTarget
from reknit.workflows.fix_issues.proposed_change import test_files as files_with_tests
from reknit.workflows.fix_issues.proposed_change import whole_change
from tests.tools.step_services import step_services


def test_it_is_as_large_as_the_batches_it_had(tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    one = Batch(1, "backend", (1, 2), 6)
    with step_services(tmp_path, shop) as (services, spec):
        for others, expected in (((), 1), ((3, 4, 5), 3)):
            target = IssuesTarget("r", (one,), None, limits=IssueLimits(batch_issues=2), others=others)
            run = replace(spec, issues=target)
            change = whole_change(services, run, spec.base)
            assert (change.base, change.batches) == (spec.base, expected)
        assert files_with_tests(services, run) == ()  # no test has been run
