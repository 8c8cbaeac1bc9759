"""A bug that is typed into a window is armed for that window, or the person is told why not."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reknit.adapters.hook import PullWatches
from reknit.app.hook.arm import COMMANDS, list_fix_modes, run_fix_pr, run_fix_test
from reknit.app.installation import Installation
from reknit.core.fix_pr.output.pull_watch import PullWatch
from reknit.core.hook.exports import PULL_NOTE
from reknit.core.runs.ending import Ending
from reknit.interfaces.hook import prompt
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from tests.tools.pull_samples import TARGET
from tests.tools.recorded_runs import make_place, open_ledger, spec

TEST = "tests/test_pricing.py"
EVENT = "UserPromptSubmit"


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return make_place(tmp_path)


def owners(installation: Installation, shop: Path) -> list[tuple[str, str]]:
    return [(mode.bug.bug_id, mode.owner) for mode in list_fix_modes(installation, shop)]


@pytest.mark.parametrize("below", [".", "shop"], ids=["in the project", "the agent went to a folder below"])
def test_the_window_owns_the_bug(installation: Installation, shop: Path, below: str) -> None:
    answer = run_fix_test(installation, [shop / below, shop], "w1", f"BUG-001 {TEST}", EVENT)
    assert answer["systemMessage"] == f"reknit: BUG-001 is armed: {TEST}, at most 3 attempts"
    assert owners(installation, shop) == [("BUG-001", "w1")]


@pytest.mark.parametrize(
    ("bug", "told"),
    [
        ("BUG-002", "BUG-001 is no longer checked in this window."),
        ("BUG-001", "BUG-001 was armed already: its attempts start again."),
    ],
)
def test_the_person_is_told_what_the_window_no_longer_works_on(
    installation: Installation, shop: Path, bug: str, told: str
) -> None:
    run_fix_test(installation, [shop], "w1", f"BUG-001 {TEST}", EVENT)
    run_fix_test(installation, [shop], "w2", f"BUG-003 {TEST}", EVENT)
    answer = run_fix_test(installation, [shop], "w1", f"{bug} {TEST}", EVENT)
    assert str(answer["systemMessage"]).splitlines()[1:] == [told]


@pytest.mark.parametrize(
    ("session", "typed", "why"),
    [
        pytest.param("w1", "", "no bug and no test are named", id="nothing"),
        pytest.param("w1", "BUG-001 tests/nowhere.py", "'tests/nowhere.py' does not exist", id="no such test"),
        pytest.param("w1", "BUG-001 tests/", "'tests/' is a folder\nname a test file, or a test in one", id="a folder"),
        pytest.param("w1", f"../../x {TEST}", "is not the id of a bug", id="no id"),
        pytest.param("", f"BUG-001 {TEST}", "no usable session id", id="no window"),
        pytest.param("w2", f"BUG-001 {TEST}", "BUG-001 belongs to another window", id="of another window"),
    ],
)
def test_what_cannot_be_armed_is_told_and_changes_nothing(
    installation: Installation, shop: Path, session: str, typed: str, why: str
) -> None:
    run_fix_test(installation, [shop], "w0", f"BUG-001 {TEST}", EVENT)
    answer: dict[str, Any] = run_fix_test(installation, [shop], session, typed, EVENT)
    assert (answer["decision"], why in answer["reason"]) == ("block", True)
    assert owners(installation, shop) == [("BUG-001", "w0")]


@pytest.mark.parametrize(
    ("session", "typed", "why"),
    [
        pytest.param("", "", "no usable session id", id="no window"),
        pytest.param("w1", "now", "'now' cannot be used here", id="no number"),
        pytest.param("w1", "", "No PR for current branch.", id="no forge"),
        pytest.param("w1", "stop", "no window of this repository started `/fix-pr`", id="nothing to stop"),
    ],
)
def test_a_pull_request_that_cannot_be_repaired_is_told(
    installation: Installation, shop: Path, session: str, typed: str, why: str
) -> None:
    answer: dict[str, Any] = run_fix_pr(installation, [shop], session, typed, EVENT)
    assert (answer["decision"], why in answer["reason"]) == ("block", True), answer


@pytest.fixture
def ledger(installation: Installation, shop: Path, monkeypatch: pytest.MonkeyPatch) -> SqlRunLedger:
    monkeypatch.setattr("reknit.app.runs.stop.NOTICED_S", 0.0)
    ledger = open_ledger(installation)
    for run in ("r-1", "r-2", "r-3"):
        ledger.create(replace(spec(run, TARGET), repository=str(shop)))
    ledger.end("r-1", Ending("CLEAN", "all passed"))
    return ledger


def test_another_window_parks_the_run_that_is_under_way(
    installation: Installation, shop: Path, ledger: SqlRunLedger
) -> None:
    """`w1` was closed before its run ended, and is never told."""
    watches = PullWatches(installation.hooks)
    watches.put(str(shop), "w1", PullWatch("r-1"))
    watches.put(str(shop), "w2", PullWatch("r-2"))
    (shop / ".claude").mkdir()
    answer: dict[str, Any] = run_fix_pr(installation, [shop], "w9", "stop", EVENT)
    assert answer["systemMessage"].startswith("reknit: r-2 is stopped.")
    assert "active: false" in (shop / PULL_NOTE).read_text()
    assert "in the background" not in answer["hookSpecificOutput"]["additionalContext"]
    assert RunReader(ledger.engine).run("r-2").state == "interrupted"


def test_it_is_not_guessed_which_of_several_runs_is_meant(
    installation: Installation, shop: Path, ledger: SqlRunLedger
) -> None:
    watches = PullWatches(installation.hooks)
    watches.put(str(shop), "w2", PullWatch("r-2"))
    watches.put(str(shop), "w3", PullWatch("r-3"))
    answer: dict[str, Any] = run_fix_pr(installation, [shop], "w9", "stop", EVENT)
    assert (answer["decision"], "r-2, r-3" in answer["reason"]) == ("block", True)
    assert "r-3 is stopped." in str(run_fix_pr(installation, [shop], "w3", "stop", EVENT)["systemMessage"])
    assert RunReader(ledger.engine).run("r-2").state == "queued"


def test_the_run_of_this_window_may_have_ended(installation: Installation, shop: Path, ledger: SqlRunLedger) -> None:
    watches = PullWatches(installation.hooks)
    watches.put(str(shop), "w1", PullWatch("r-1"))
    watches.put(str(shop), "w2", PullWatch("r-2"))
    answer = run_fix_pr(installation, [shop], "w1", "stop", EVENT)
    assert answer["systemMessage"] == "reknit: r-1 has already ended CLEAN"
    assert RunReader(ledger.engine).run("r-2").state == "queued"


def test_every_command_of_the_hook_is_known_here() -> None:
    assert {*COMMANDS} == {*prompt.COMMANDS.values()}
