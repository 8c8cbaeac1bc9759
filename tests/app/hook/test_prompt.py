"""A bug that is typed into a window is armed for that window, or the person is told why not."""

from pathlib import Path
from typing import Any

import pytest

from reknit.app.hook.arm import armed
from reknit.app.hook.prompt import COMMANDS, arm_typed, fix_pr_typed
from reknit.app.installation import Installation
from reknit.interfaces.hook import prompt
from tests.tools.recorded_runs import make_place

TEST = "tests/test_pricing.py"
EVENT = "UserPromptSubmit"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return make_place(tmp_path)


def owners(place: Installation, shop: Path) -> list[tuple[str, str]]:
    return [(mode.bug.bug_id, mode.owner) for mode in armed(place, shop)]


@pytest.mark.parametrize("below", [".", "shop"], ids=["in the project", "the agent went to a folder below"])
def test_the_window_owns_the_bug(place: Installation, shop: Path, below: str) -> None:
    answer = arm_typed(place, [shop / below, shop], "w1", f"BUG-001 {TEST}", EVENT)
    assert answer["systemMessage"] == f"reknit: BUG-001 is armed: {TEST}, at most 3 attempts"
    assert owners(place, shop) == [("BUG-001", "w1")]


@pytest.mark.parametrize(
    ("session", "typed", "why"),
    [
        pytest.param("w1", "", "no bug and no test are named", id="nothing"),
        pytest.param("w1", "BUG-001 tests/nowhere.py", "'tests/nowhere.py' does not exist", id="no such test"),
        pytest.param("w1", f"../../x {TEST}", "is not the id of a bug", id="no id"),
        pytest.param("", f"BUG-001 {TEST}", "no usable session id", id="no window"),
        pytest.param("w2", f"BUG-001 {TEST}", "BUG-001 belongs to another window", id="of another window"),
    ],
)
def test_what_cannot_be_armed_is_told_and_changes_nothing(
    place: Installation, shop: Path, session: str, typed: str, why: str
) -> None:
    arm_typed(place, [shop], "w0", f"BUG-001 {TEST}", EVENT)
    answer: dict[str, Any] = arm_typed(place, [shop], session, typed, EVENT)
    assert (answer["decision"], why in answer["reason"]) == ("block", True)
    assert owners(place, shop) == [("BUG-001", "w0")]


@pytest.mark.parametrize(
    ("session", "typed", "why"),
    [
        pytest.param("", "", "no usable session id", id="no window"),
        pytest.param("w1", "now", "'now' is not understood", id="no number"),
        pytest.param("w1", "", "No PR for current branch.", id="no forge"),
        pytest.param("w1", "stop", "no window of this repository started `/fix-pr`", id="nothing to stop"),
    ],
)
def test_a_pull_request_that_cannot_be_repaired_is_told(
    place: Installation, shop: Path, session: str, typed: str, why: str
) -> None:
    answer: dict[str, Any] = fix_pr_typed(place, [shop], session, typed, EVENT)
    assert (answer["decision"], why in answer["reason"]) == ("block", True), answer


def test_every_command_of_the_hook_is_known_here() -> None:
    assert {*COMMANDS} == {*prompt.COMMANDS.values()}
