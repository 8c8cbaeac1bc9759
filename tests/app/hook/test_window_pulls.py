"""What a window knows about a pull-request run, without a worker; `test_fix_pr.py` has the whole way."""

from pathlib import Path

import pytest

from reknit.adapters.hook import PullWatches
from reknit.app.hook.window_pulls import follow_in_window, list_followed, report_pull_news
from reknit.app.installation import Installation
from reknit.core.fix_pr.output.pull_watch import PullWatch
from reknit.core.runs.ending import Ending
from tests.tools.pull_samples import TARGET
from tests.tools.recorded_runs import make_place, open_ledger, spec


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    installation = make_place(tmp_path)
    installation.state.mkdir(exist_ok=True)
    return installation


def test_a_window_without_one_is_told_nothing(installation: Installation, tmp_path: Path) -> None:
    assert report_pull_news(installation, str(tmp_path), "w1") == ""


def test_a_run_that_is_no_longer_known_is_forgotten(installation: Installation, shop: Path) -> None:
    watches = PullWatches(installation.hooks)
    watches.put(str(shop), "w1", PullWatch("r-gone"))
    assert list_followed(installation, shop) == []
    assert report_pull_news(installation, str(shop), "w1") == ""
    assert watches.read(str(shop), "w1") is None


@pytest.mark.parametrize(("state", "starts"), [("queued", 1), ("running", 0), ("interrupted", 0), ("ended", 0)])
def test_a_run_that_waits_for_a_worker_gets_one(
    installation: Installation, shop: Path, monkeypatch: pytest.MonkeyPatch, state: str, starts: int
) -> None:
    """The worker that was started for it may have been killed before it took the run."""
    ledger, started = open_ledger(installation, "slot-0"), list[Installation]()
    ledger.create(spec("r-1", TARGET))
    {
        "queued": lambda: None,
        "running": lambda: ledger.set_running("r-1"),
        "interrupted": lambda: ledger.set_interrupted("r-1"),
        "ended": lambda: ledger.end("r-1", Ending("CLEAN", "all passed")),
    }[state]()
    monkeypatch.setattr("reknit.app.hook.window_pulls.start_worker", started.append)
    PullWatches(installation.hooks).put(str(shop), "w1", PullWatch("r-1"))
    report_pull_news(installation, str(shop), "w1")
    assert len(started) == starts


def test_windows_that_never_came_back_are_forgotten_when_another_follows_a_run(
    installation: Installation, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, watches = open_ledger(installation), PullWatches(installation.hooks)
    for run in ("r-1", "r-2", "r-3"):
        ledger.create(spec(run, TARGET))
    ledger.end("r-2", Ending("CLEAN", "all passed"))
    with monkeypatch.context() as patched:
        patched.setattr("time.time", lambda: 1.0)
        ledger.end("r-1", Ending("CLEAN", "all passed"))
    for window, run in (("w0", "r-gone"), ("w1", "r-1"), ("w2", "r-2")):
        watches.put(str(shop), window, PullWatch(run))
    follow_in_window(installation, str(shop), "w3", "r-3")
    assert [*watches.find_all(str(shop))] == ["w2", "w3"], "the second was not told yet, and may still be open"


def test_a_run_is_always_followed_by_a_window_though_its_change_is_cut_short(
    installation: Installation, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_ledger(installation).create(spec("r-1", TARGET))
    watches = PullWatches(installation.hooks)
    watches.put(str(shop), "w1", PullWatch("r-1"))

    def killed(_document: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("reknit.app.hook.window_pulls.read_record", killed)
        follow_in_window(installation, str(shop), "w2", "r-1")
    assert [*watches.find_all(str(shop))] == ["w1"]
    follow_in_window(installation, str(shop), "w2", "r-1")
    assert [*watches.find_all(str(shop))] == ["w2"]
    follow_in_window(installation, str(shop), "w2", "r-1")
    assert [*watches.find_all(str(shop))] == ["w2"]
