"""Windows that follow a pull-request run: their markers on the disk, and what is written for other tools."""

from pathlib import Path

import pytest

from reknit.adapters.hook.pull_watches import PullWatches
from reknit.core.fix_pr.output.pull_watch import PullWatch
from reknit.core.hook.exports import PULL_STATE

WATCH = PullWatch("r-7f3a", 2)


@pytest.fixture
def watches(tmp_path: Path) -> PullWatches:
    (tmp_path / "shop").mkdir()
    return PullWatches(tmp_path / "state" / "hooks")


def test_each_window_has_its_own(watches: PullWatches, tmp_path: Path) -> None:
    shop = str(tmp_path / "shop")
    assert (watches.read(shop, "w1"), watches.of(shop)) == (None, {})
    watches.put(shop, "w1", WATCH)
    watches.put(shop, "w2", PullWatch("r-8"))
    assert (watches.read(shop, "w1"), watches.of(shop)) == (WATCH, {"w1": WATCH, "w2": PullWatch("r-8")})
    watches.remove(shop, "w1")
    assert watches.of(shop) == {"w2": PullWatch("r-8")}
    watches.remove(shop, "w2")
    assert not any((tmp_path / "state/hooks").iterdir())


def test_a_damaged_marker_is_none(watches: PullWatches, tmp_path: Path) -> None:
    shop = str(tmp_path / "shop")
    watches.put(shop, "w1", WATCH)
    [marker] = (tmp_path / "state/hooks").glob("*/*")
    marker.write_text("in_progress\n")
    assert (watches.read(shop, "w1"), watches.of(shop)) == (None, {})


def test_a_repository_that_is_gone_is_no_error(watches: PullWatches, tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")
    watches.remove(gone, "w1")
    assert (watches.read(gone, "w1"), watches.of(gone)) == (None, {})


def test_files_are_written_only_where_the_agents_folder_is(watches: PullWatches, tmp_path: Path) -> None:
    state: dict[str, object] = {
        "ending": None, "iteration": 1, "max_iterations": 3, "pr_number": 7, "pr_url": "u", "run": "r-7f3a",
        "check_results": {"ci": {"status": "pass"}}, "history": [],
    }  # fmt: skip
    shop = tmp_path / "shop"
    watches.export(str(shop), "w1", state)
    assert not any(shop.iterdir())
    (shop / ".claude").mkdir()
    watches.export(str(shop), "w1", state)
    assert (shop / PULL_STATE).is_file()
    assert len([*(shop / ".claude").iterdir()]) == 3
