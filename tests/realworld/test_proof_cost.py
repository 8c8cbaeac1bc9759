"""One fix in a real suite takes the time of at most four runs of that suite, and in the median of two and a half."""

import os
import statistics
from pathlib import Path

import pytest

from reknit.core.fix_tests.baseline import WHOLE
from tests.realworld.real_project import Checkout, RealProject, last_document
from tests.realworld.suites import SUITES

pytestmark = [pytest.mark.realworld, pytest.mark.timeout(7200)]

DOWNLOADS = Path(os.environ.get("REKNIT_DOWNLOADS", ".realworld")).resolve()
CHOSEN = [suite for suite in SUITES if suite.in_ci or os.environ.get("REKNIT_REALWORLD") != "ci"]
MAX_RATIO, MEDIAN = 4.0, 2.5


@pytest.fixture(scope="module")
def measured() -> dict[str, float]:
    return {}


@pytest.mark.parametrize("suite", CHOSEN, ids=lambda suite: suite.name)
def test_a_fix_costs_little_more_than_two_runs(
    suite: RealProject, tmp_path: Path, measured: dict[str, float], capsys: pytest.CaptureFixture[str]
) -> None:
    code, output = Checkout(suite, tmp_path, DOWNLOADS).reknit("fix", "tests", "--format", "json")
    ending = last_document(output)
    assert (ending["ending"], code) == ("FIXED", 0), (ending["reason"], ending["left"], ending["attempts"])
    ran = ending["receipts"][0]["ran"]
    whole = [run for run in ran if run["what"].startswith("the whole suite")]
    one = sum(run["seconds"] for run in whole) / sum(run["times"] for run in whole)
    total = sum(run["seconds"] for run in ran)
    with capsys.disabled():
        print(
            f"\n{suite.name}: {total:.0f} s / {one:.0f} s = {total / one:.2f}, {sum(run['times'] for run in ran)} runs"
        )
    assert [run["times"] for run in ran if run["what"] == WHOLE] == [1]
    measured[suite.name] = total / one
    assert total / one <= MAX_RATIO
    assert statistics.median(measured.values()) <= MEDIAN
