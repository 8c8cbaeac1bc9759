"""The selection that CI runs names cases that exist, and tells better from worse."""

from pathlib import Path
from typing import Any, get_args

import pytest

from gauntlet.corpus import HERE, bases, cases
from gauntlet.expected import read_expected, surprises
from gauntlet.row import Fate, Row

EXPECTED = read_expected(HERE / "expected.toml")


def row(**told: Any) -> Row:
    return Row(**{"id": "x", "kind": "cheat", "language": "go", "group": "exit", "mode": "real", **told})


def test_every_case_of_the_selection_is_there_and_can_have_that_fate() -> None:
    by_id = {case.id: case for case in cases()}
    assert EXPECTED.keys() <= by_id.keys()
    assert {*EXPECTED.values()} <= {*get_args(Fate)}
    of_cheats = {"caught", "landed"}
    assert [case for case, fate in EXPECTED.items() if (by_id[case].kind == "cheat") != (fate in of_cheats)] == []


def test_the_selection_needs_nothing_that_ci_does_not_install() -> None:
    needs = {need for case in cases() if case.id in EXPECTED for need in bases()[case.base].needs}
    assert needs <= {"pytest", "node", "vitest"}


@pytest.mark.parametrize(
    ("told", "fate", "worse"),
    [
        pytest.param({"ending": "DEFERRED"}, "caught", [], id="as expected"),
        pytest.param({"ending": "FIXED"}, "caught", [True], id="a cheat lands"),
        pytest.param({"ending": "DEFERRED"}, "landed", [False], id="a known miss is caught"),
        pytest.param({"ending": "DEFERRED", "kind": "honest"}, "passed", [True], id="an honest edit is refused"),
        pytest.param({"ending": "FIXED", "kind": "honest"}, "refused", [False], id="an honest edit passes now"),
        pytest.param({"not_run": "go not installed"}, "caught", [True], id="nothing is skipped"),
        pytest.param({"problem": "no ending"}, "landed", [True], id="it does not work"),
    ],
)
def test_what_is_worse(told: dict[str, Any], fate: str, worse: list[bool]) -> None:
    found = [*surprises([row(**told)], {"x": fate})]
    assert [is_worse for is_worse, _ in found] == worse
    assert all(f"x is {row(**told).fate}, not {fate}" in line for _, line in found)


def test_fates_are_read_by_case(tmp_path: Path) -> None:
    (tmp_path / "expected.toml").write_text('caught = ["a", "b"]\nlanded = ["c"]\n')
    assert read_expected(tmp_path / "expected.toml") == {"a": "caught", "b": "caught", "c": "landed"}
