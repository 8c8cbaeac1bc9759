"""Thirty fixes by an agent that also edits what it was not asked to, and a reviewer that accepts all it can see."""

from pathlib import Path

import pytest

from tests.tools.pull_play import Played
from tests.tools.review_scene import ANSWER, COR, MEAN, SEC, Move, ReviewScene, confirms, mends, module, problem, says

KINDS = ("right", "another file", "other lines", "only a comment", "a cause that two report", "gone with another fix")
STATUSES = {kind: "RESOLVED" if kind not in KINDS[1:4] else "FAILED" for kind in KINDS}
UNTOUCHED = {**confirms("the mean is as it was"), "when": "The change leaves the lines of"}
BOTH = (ANSWER + MEAN).replace("42", "40 + 2").replace("/ len(prices)", "/ (len(prices) or 1)")


def magic(number: int) -> dict[str, object]:
    more = {"category": "style", "line": 2, "title": f"a magic number in m{number}", "issue": "42 is a magic number."}
    return problem(number, **more)


def edit(kind: str, number: int) -> Move:
    """The change that the agent makes for the finding about this module."""
    edits: dict[str, Move] = {
        "another file": {"replace": {module(number % 6 + 1): ["return 42", "return 41 + 1"]}},
        "other lines": {"replace": {module(number): ["return 42", "return 41 + 1"]}},
        "only a comment": {"replace": {module(number): ["def mean", "# It is checked.\ndef mean"]}},
        "gone with another fix": {"write": {module(number): BOTH}},
    }
    return {"when": f"mean of nothing in m{number}", "cost_usd": 0.1, **edits.get(kind, mends(number))}


def attempts(played: Played, title: str) -> int:
    return sum(title in asked.prompt for asked in played.asked if asked.name == "fix_review")


@pytest.mark.parametrize("turn", range(5))
def test_a_finding_is_resolved_only_by_a_fix_of_it(turn: int, tmp_path: Path) -> None:
    kinds = {number: KINDS[(number + turn) % 6] for number in range(1, 7)}
    of_kind = {kind: number for number, kind in kinds.items()}
    shared, double = of_kind["a cause that two report"], of_kind["gone with another fix"]
    scene = ReviewScene(tmp_path, modules=6)
    found = [*map(problem, kinds), magic(double)]
    scene.tell(
        [says(COR, *found), says(SEC, problem(shared, category="dos")), UNTOUCHED, confirms()],
        [edit(kind, number) for number, kind in kinds.items()],
        loop={"attempts": 1, "fruitless": 9},
    )
    played = scene.play(COR, SEC)
    statuses = [(f"{issue.path} {issue.sources[0].rule}", issue.status) for issue in scene.issues()]
    expected = [(f"{module(number)} logic", STATUSES[kind]) for number, kind in kinds.items()]
    expected += [(f"{module(double)} style", "RESOLVED"), (f"{module(shared)} dos", "RESOLVED")]
    assert (played.ending, sorted(statuses)) == ("PARTIAL", sorted(expected)), played.run.reason
    assert "5 of 8 findings fixed; gone with another fix, as the reviewer confirms: " in played.run.reason
    assert [attempts(played, f"mean of nothing in m{number}") for number in kinds] == [1] * 6, (
        "a cause is paid for once"
    )
    assert attempts(played, f"a magic number in m{double}") == 0
    assert [event.data["still_there"] for event in played.told("rechecked")] == [False, False]
    assert len(scene.landed(played.run.id)) == 3
