"""A run on something that another run has is refused before anything is spent."""

from pathlib import Path

import pytest

from reknit.app.runs.claims import refuse_taken
from reknit.core.errors import UsageProblem
from reknit.core.runs.ending import Ending
from tests.tools.pull_samples import TARGET
from tests.tools.recorded_runs import make_place, open_ledger, spec


def test_what_nobody_has_is_free_and_what_a_run_has_is_not(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    refuse_taken(place, TARGET.key)
    ledger = open_ledger(place)
    ledger.create(spec("r-1", "fix pr", pull=TARGET))
    ledger.claim(TARGET.key, "r-1")
    with pytest.raises(UsageProblem, match=r"^r-1 is open on #412 \(queued\)$") as caught:
        refuse_taken(place, TARGET.key)
    assert caught.value.name == "taken"
    refuse_taken(place, "acme/shop#413")
    ledger.end("r-1", Ending("CLEAN", "all pass"))
    refuse_taken(place, TARGET.key)


def test_a_place_that_was_never_used_has_no_claims(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    place.state.rmdir()
    refuse_taken(place, TARGET.key)
    assert place.state.stat().st_mode & 0o777 == 0o700
