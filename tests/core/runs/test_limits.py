"""Every limit is on by default."""

import dataclasses

from reknit.core.runs.limits import Limits


def test_every_limit_is_on_by_default() -> None:
    assert all(value > 0 for value in dataclasses.asdict(Limits()).values())
