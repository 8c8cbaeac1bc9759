"""`kill -9` before and after every step of a review: the same end, and no entry, commit or status twice."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from reknit.core.review.progress_file.entries import FailedEntry, FixEntry, ReviewEntry
from tests.crash.databases import Databases
from tests.crash.review_stage import FIXES, READS, ReviewLeft, ReviewStage
from tests.crash.stage import EVERY_NTH, SCENES_AT_ONCE
from tests.crash.workers import Launch, fresh

KILLED = -9
CALLS = tuple(
    f"{step}.v1 after" for step in ("ask_reviewer", "work_review", "confirm_fix", "recheck_findings", "look_again")
)
COSTS = {0.0, *(round(move["cost_usd"], 6) for move in (*FIXES, *READS))}
HISTORIES = {
    "reknit/correctness app/m1.py": ("OPEN", "IN_PROGRESS", "RESOLVED"),
    "reknit/correctness app/m2.py": ("OPEN", "IN_PROGRESS", "FAILED"),
    "reknit/security app/m1.py": ("OPEN", "IN_PROGRESS", "RESOLVED"),
    "reknit/architecture app/m1.py": ("OPEN",),
    "reknit/correctness tests/test_answers.py": ("OPEN",),
    "reknit/security tests/test_answers.py": ("OPEN",),
}
ENTRIES = [*[ReviewEntry] * 3, FixEntry, FailedEntry, FixEntry, *[ReviewEntry] * 2, FailedEntry]
"""The second fix is of a finding that was gone, the last entry of one that is not to be fixed."""


@pytest.mark.crash
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.parametrize("resumes", [pytest.param(False, id="review"), pytest.param(True, id="resume")])
def test_a_killed_review_ends_as_one_that_was_not(
    kind: str, *, resumes: bool, tmp_path: Path, forked: tuple[Launch, Launch], request: pytest.FixtureRequest
) -> None:
    databases: Databases = request.getfixturevalue(f"{kind}_databases")

    def stage(name: str, new_database: Callable[[Path], str], *launch: Launch) -> ReviewStage:
        folder = tmp_path / name
        folder.mkdir()
        return ReviewStage(folder, new_database(folder), launch, resumes=resumes)

    calm = stage("calm", databases.empty, fresh)
    assert calm.start() == 0, calm.log()
    expected, moments = calm.left(), calm.traces()
    assert (expected.ending, len(expected.landed), expected.receipts) == ("PARTIAL", 1, 1), expected
    assert [type(entry) for entry in expected.entries] == ENTRIES
    assert dict(expected.histories) == HISTORIES
    assert (expected.untouched, expected.orphans) == (True, 0)

    def killed(number: int) -> tuple[str, ReviewLeft]:
        one = stage(f"kill-{number:03}", databases.used, *forked)
        assert one.start(die_at=number) == KILLED, one.log()
        assert one.replace() == 0, one.log()
        return f"{moments[number]} ({number})", one.left()

    with ThreadPoolExecutor(max_workers=SCENES_AT_ONCE) as pool:
        ends = list(pool.map(killed, range(0, len(moments), EVERY_NTH)))
    diverged = [(moment, left) for moment, left in ends if left != expected]
    wrong_sums = [(moment, left.spent_usd) for moment, left in ends if not _is_honest(moment, left, expected)]
    print(f"\n{kind}: {len(ends)} kills, {len(diverged)} divergences, {len(wrong_sums)} wrong sums")
    assert not diverged
    assert not wrong_sums
    assert len(moments) >= (40 if resumes else 60)


def _is_honest(moment: str, left: ReviewLeft, expected: ReviewLeft) -> bool:
    """Money that was spent is counted, also for a call whose answer was lost; nothing else is counted twice."""
    more = round(left.spent_usd - expected.spent_usd, 6)
    return more in COSTS if moment.startswith(CALLS) else more == 0
