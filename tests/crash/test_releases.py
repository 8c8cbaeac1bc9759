"""A run in flight survives a release: a moved class, a renamed flow function, a changed flow under a new version."""

from pathlib import Path

import pytest

from tests.crash.scene import Scene

IN_THE_SECOND_ATTEMPT = 9
"""Trace number: checkpoints of every kind have been written by then."""


@pytest.mark.crash
@pytest.mark.parametrize("variant", ["class-moved", "function-renamed", "second-version"])
def test_a_run_in_flight_survives(variant: str, tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    assert scene.start(die_at=IN_THE_SECOND_ATTEMPT) == -9, scene.log()
    before = scene.traces()
    assert scene.replace(variant) == 0, scene.log()
    left = scene.left()
    assert (left.ending, len(left.landed), left.receipts, left.orphans) == ("FIXED", 1, 1, 0)
    assert left.untouched
    carried_on = scene.traces()[len(before) :]
    assert "observe.v1 before" not in carried_on, "finished steps are not run again"
