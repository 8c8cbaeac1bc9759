"""A forge that does not let a run continue: what is waited for, and what ends the run."""

import pytest

from reknit.core.fix_pr.forge_endings import blocked_ending, failure_ending
from reknit.core.forge.permission import FixBlocked
from reknit.core.forge.pull_snapshot import PullSnapshot
from reknit.core.forge.values import ForgeFailure
from reknit.core.runs.ending import LOGIN, Ending
from reknit.core.runs.limits import Limits

COMMITS = ("c" * 40,)


@pytest.mark.parametrize(
    ("barred", "expected"),
    [
        pytest.param(None, None, id="nothing stands in the way"),
        pytest.param(FixBlocked("no-push", "you may not push", read_only=True), None, id="it can still be looked at"),
        pytest.param(
            FixBlocked("closed", "it is closed"), Ending("BLOCKED", "it is closed", "closed", COMMITS), id="it cannot"
        ),
    ],
)
def test_a_pull_request_that_cannot_be_looked_at(barred: FixBlocked | None, expected: Ending | None) -> None:
    assert blocked_ending(PullSnapshot("a" * 40, "b" * 40, 0, barred), COMMITS) == expected


@pytest.mark.parametrize(
    ("failure", "waits", "expected"),
    [
        pytest.param(ForgeFailure("limited", "429"), 1, None, id="a limit is waited for"),
        pytest.param(ForgeFailure("unreachable", "502"), 1, None, id="so is a forge that is away"),
        pytest.param(
            ForgeFailure("unreachable", "502"),
            2,
            Ending("UNVERIFIED", "the forge did not answer 2 times in a row: 502", "forge", COMMITS),
            id="but not forever",
        ),
        pytest.param(
            ForgeFailure("login", "401"),
            0,
            Ending("BLOCKED", "the forge rejected the login: 401", LOGIN, COMMITS),
            id="a login is a person's",
        ),
        pytest.param(
            ForgeFailure("forbidden", "403"),
            0,
            Ending("BLOCKED", "the forge refused: 403", "forbidden", COMMITS),
            id="so is a permission",
        ),
        pytest.param(
            ForgeFailure("missing", "404"),
            0,
            Ending("BLOCKED", "the forge refused: 404", "missing", COMMITS),
            id="and what is gone",
        ),
    ],
)
def test_a_forge_that_does_not_answer(failure: ForgeFailure, waits: int, expected: Ending | None) -> None:
    assert failure_ending(failure, waits, Limits(waits=2), COMMITS) == expected
