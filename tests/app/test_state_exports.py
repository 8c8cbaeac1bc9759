"""Only a run that a window follows is shown to other tools."""

import json
from pathlib import Path

from reknit.adapters.hook import PullWatches
from reknit.app.state_exports import StateExports
from reknit.core.fix_pr.output.pull_watch import PullWatch
from reknit.core.fix_tests.task import FixTests
from reknit.core.hook.exports import BUG_STATE, PULL_STATE
from reknit.store.database import open_store
from reknit.store.runs.reader import RunReader
from tests.tools.pull_samples import TARGET
from tests.tools.recorded_runs import make_place, open_ledger, spec


def test_a_run_is_shown_to_the_repository_of_its_window(tmp_path: Path) -> None:
    installation, shop = make_place(tmp_path), tmp_path / "shop"
    (shop / ".claude").mkdir(parents=True)
    ledger, watches = open_ledger(installation), PullWatches(installation.hooks)
    for run in ("r-1", "r-2"):
        ledger.create(spec(run, TARGET))
    exports = StateExports(installation.hooks, RunReader(open_store(installation.database)))
    watches.put(str(shop), "w1", PullWatch("r-1"))
    exports.publish(str(shop), "r-2")
    assert not any((shop / ".claude").iterdir())
    exports.publish(str(shop), "r-1")
    assert '"run": "r-1"' in (shop / PULL_STATE).read_text()


def test_the_bug_of_a_run_is_shown_if_the_run_asks_for_it(tmp_path: Path) -> None:
    installation, shop = make_place(tmp_path), tmp_path / "shop"
    (shop / ".claude").mkdir(parents=True)
    open_ledger(installation).create(spec("r-1", FixTests(("tests/test_a.py",), bug="BUG-7")))
    exports = StateExports(installation.hooks, RunReader(open_store(installation.database)))
    exports.publish_bug(str(shop), "r-1")
    state = json.loads((shop / BUG_STATE).read_text())
    assert (state["bug_id"], state["status"], state["owner"]) == ("BUG-7", "in_progress", "")


def test_a_repository_that_cannot_be_read_does_not_stop_the_run(tmp_path: Path) -> None:
    installation, loop = make_place(tmp_path), tmp_path / "loop"
    loop.symlink_to(loop)
    StateExports(installation.hooks, RunReader(open_store(installation.database))).publish(str(loop), "r-1")
