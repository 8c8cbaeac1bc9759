"""What a window knows about a pull-request run, without a worker; `test_fix_pr.py` has the whole way."""

from pathlib import Path

import pytest

from reknit.adapters.hook.pull_watches import PullWatches
from reknit.app.hook.window_pulls import followed, pull_news
from reknit.app.installation import Installation
from reknit.core.fix_pr.output.pull_watch import PullWatch
from tests.tools.recorded_runs import make_place


@pytest.fixture
def place(tmp_path: Path) -> Installation:
    place = make_place(tmp_path)
    place.state.mkdir(exist_ok=True)
    return place


def test_a_window_without_one_is_told_nothing(place: Installation, tmp_path: Path) -> None:
    assert pull_news(place, str(tmp_path), "w1") == ""


def test_a_run_that_is_no_longer_known_is_forgotten(place: Installation, shop: Path) -> None:
    watches = PullWatches(place.hooks)
    watches.put(str(shop), "w1", PullWatch("r-gone"))
    assert followed(place, shop) == []
    assert pull_news(place, str(shop), "w1") == ""
    assert watches.read(str(shop), "w1") is None
