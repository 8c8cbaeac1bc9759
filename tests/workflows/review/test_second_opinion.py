"""A second vendor is asked whether a finding of a blocking reviewer is real; what it refutes is not fixed."""

import json
from pathlib import Path

import pytest

from reknit.core.errors import UsageError
from reknit.core.review.progress_file.entries import ReviewEntry
from tests.tools.review_scene import ARC, COR, Move, ReviewScene, confirms, mends, problem, says

REFUTES: Move = {
    "when": "mean of nothing in m1",
    "report": {"verdict": "passed", "score_0_100": 9, "summary": "no caller"},
}
AGREES: Move = {"report": {"verdict": "needs_work", "score_0_100": 9, "summary": "it is real"}}


@pytest.fixture
def scene(tmp_path: Path) -> ReviewScene:
    return ReviewScene(tmp_path)


def tell(scene: ReviewScene, *moves: Move) -> None:
    stories = {
        "fixer": [mends(2)],
        "reader": [says(COR, problem(1), problem(2)), says(ARC, problem(1)), confirms()],
        "other": list(moves),
    }
    agents = {name: {"kind": "scripted", "story": json.dumps(story)} for name, story in stories.items()}
    scene.command.configure(
        fixer="fixer", review={"agent": "reader", "second_opinion": "other", "second_look": False}, agents=agents
    )


def test_what_is_refuted_is_shown_but_neither_listed_nor_fixed(scene: ReviewScene) -> None:
    tell(scene, REFUTES, AGREES)
    played = scene.play(COR, ARC)
    listed = {
        entry.reviewer: [each.id for each in entry.findings]
        for entry in scene.entries()
        if isinstance(entry, ReviewEntry)
    }
    assert (played.ending, listed[COR]) == ("FIXED", ["COR-002"])
    looks = [(event.data["finding"], event.data["refuted"]) for event in played.told("second_opinion")]
    assert looks == [("COR-001", True), ("COR-002", False)], "nobody is asked about a reviewer that only warns"
    shown = scene.command.run("show", played.run.id, cwd=scene.root).out
    assert "COR-001  app/m1.py:6  mean of nothing in m1   refuted" in shown
    prompts = [asked for asked in played.asked if asked.name == "second_opinion"]
    assert [finding.suggestion for asked in prompts for finding in asked.facts["findings"]] == ["", ""]


def test_an_agent_that_gives_no_answer_refutes_nothing(scene: ReviewScene) -> None:
    tell(scene, {"outcome": "crashed"})
    played = scene.play(COR, report_only=True)
    assert [event.data["refuted"] for event in played.told("second_opinion")] == [False, False]


def test_it_must_be_of_another_vendor(scene: ReviewScene) -> None:
    tell(scene, AGREES)
    with pytest.raises(UsageError, match="same vendor as the reviewer correctness"):
        scene.plan(COR, flags={"review": {"second_opinion": "reader"}})
