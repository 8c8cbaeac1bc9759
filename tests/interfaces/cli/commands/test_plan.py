"""`reknit plan` as a person calls it: from a terminal, a pipe, and for its first stages alone."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.tools.command_line import Answer
from tests.tools.plan_scene import FILE, PlanScene, proposes
from tests.tools.terminal import CTRL_C, Terminal

GOAL, OFF_LIMITS, CAP = "What's the goal?", "Names, with commas", "Time/budget cap?"
QUESTIONS = ("What's the goal?", "What variants are off-limits?", "Time/budget cap?")
AS_OF = ("--as-of", "2026-11-17")


@pytest.fixture
def scene(tmp_path: Path) -> PlanScene:
    scene = PlanScene(tmp_path)
    scene.tell()
    return scene


def plan(scene: PlanScene, *arguments: str) -> Answer:
    return scene.command.run("plan", *arguments, *AS_OF, cwd=scene.root)


def in_terminal(scene: PlanScene, *arguments: str) -> Terminal:
    return Terminal(["plan", *arguments, *AS_OF], scene.command.environment, scene.root)


def test_three_questions_in_a_terminal_and_their_answers(scene: PlanScene) -> None:
    with in_terminal(scene, "tidy-up") as terminal:
        terminal.until(GOAL)
        terminal.type("Bring the docs up to date\n")
        terminal.until(OFF_LIMITS)
        terminal.type("purple\n")
        terminal.until("'purple' is not a variant")
        terminal.type("savage, immortal\n")
        terminal.until(CAP)
        terminal.type("2\n")
        code = terminal.end()
    assert code == 0, terminal.text
    made = scene.made()
    assert (made.cap, [limit.value for limit in made.limits]) == ("~1 hour", ["savage", "immortal"])
    assert "> Bring the docs up to date" in made.context
    assert "three questions were asked" in made.methodology
    assert terminal.text.count("?") == 3


@pytest.mark.parametrize("at", range(3))
def test_ctrl_c_at_any_question_leaves_nothing_behind(scene: PlanScene, at: int) -> None:
    before, folder = scene.untouched(), {*os.listdir(scene.folder)}
    with in_terminal(scene, "tidy-up") as terminal:
        for question in (GOAL, OFF_LIMITS, CAP)[:at]:
            terminal.until(question)
            terminal.type("\n")
        terminal.until((GOAL, OFF_LIMITS, CAP)[at])
        terminal.type(CTRL_C)
        code = terminal.end()
    assert code == -signal.SIGINT, terminal.text  # 130 in a shell
    assert "Traceback" not in terminal.text
    assert not (scene.root / ".reknit").exists()
    assert scene.untouched() == before
    assert {*os.listdir(scene.folder)} == folder


def test_what_an_option_says_is_not_asked(scene: PlanScene) -> None:
    options = ("--description", "Tidy", "--forbid", "savage", "--cap", "no cap")
    with in_terminal(scene, "tidy-up", *options) as terminal:
        code = terminal.end()
    assert code == 0, terminal.text
    assert not any(question in terminal.text for question in QUESTIONS)


@pytest.mark.parametrize("option", ["--yes", "--non-interactive"])
def test_nothing_is_asked_with(scene: PlanScene, option: str) -> None:
    with in_terminal(scene, "tidy-up", option) as terminal:
        code = terminal.end()
    assert code == 0, terminal.text
    assert not any(question in terminal.text for question in QUESTIONS)


def test_a_pipe_asks_nothing(scene: PlanScene) -> None:
    answer = plan(scene, "Tidy Up!")
    assert answer.exit_code == 0, answer.err
    assert "the topic is tidy-up" in answer.err
    assert f"reknit fix plan {FILE} --as grey" in answer.out
    assert "nobody was asked" in scene.made().methodology


def test_the_description_is_in_topic_md_unless_it_is_given(scene: PlanScene) -> None:
    scene.write({"TOPIC.md": "From the file\n"})
    assert plan(scene, "tidy-up").exit_code == 0
    assert "> From the file" in scene.made().context
    assert plan(scene, "tidy-up", "--description", "Typed").exit_code == 0
    assert "> Typed" in scene.made().context


def test_its_ending_for_programs(scene: PlanScene) -> None:
    answer = plan(scene, "tidy-up", "--format", "json")
    assert answer.ending["ending"] == "CLEAN"
    assert answer.ending["plan"]["file"] == FILE
    assert answer.ending["plan"]["status"] == "current"
    shown = scene.command.run("show", answer.ending["run"], cwd=scene.root)
    assert FILE in shown.out


def test_a_plan_that_a_person_edited_is_refused_before_anything_is_spent(scene: PlanScene) -> None:
    assert plan(scene, "tidy-up").exit_code == 0
    scene.write({FILE: scene.text().replace("status: current", "status: provisional")})
    edited = scene.text()
    refused = plan(scene, "tidy-up")
    assert (refused.exit_code, scene.text()) == (2, edited)
    assert "error[plan-edited]" in refused.err
    assert "--replace" in refused.err
    assert plan(scene, "tidy-up", "--replace").exit_code == 0
    assert scene.made().status == "current"


@pytest.mark.parametrize("stage", ["explore", "score"])
def test_a_stage_alone_shows_the_same_as_json_and_yaml_and_writes_nothing(scene: PlanScene, stage: str) -> None:
    before = scene.untouched()
    texts = [plan(scene, "tidy-up", "--stage", stage, "--format", form) for form in ("json", "yaml", "text")]
    assert [text.exit_code for text in texts] == [0, 0, 0], texts[0].err
    document: dict[str, Any] = json.loads(texts[0].out)
    assert yaml.safe_load(texts[1].out) == document
    assert texts[2].out == texts[1].out
    assert ("GovernanceMissing" in document, "VariantScores" in document) == (stage == "explore", stage == "score")
    assert scene.untouched() == before
    assert not (scene.root / ".reknit").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tidy-up", "--forbid", "gray"), "did you mean `grey`?"),
        (("tidy-up", "--as-of", "tomorrow"), "is not a date"),
        (("tidy-up", "--cap", "1 year"), "is not one of"),
        (("tidy-up", "--format", "yaml"), "--format yaml is for --stage"),
        (("tidy-up", "--auto-handoff", "--queue"), "--auto-handoff runs here"),
        ((), "Missing argument 'TOPIC'"),
    ],
)
def test_what_is_typed_wrongly_is_told(scene: PlanScene, arguments: tuple[str, ...], said: str) -> None:
    answer = scene.command.run("plan", *arguments, cwd=scene.root)
    assert answer.exit_code == 2
    assert said in answer.err


def test_a_folder_without_a_repository_is_told_with_its_stage(scene: PlanScene, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    answer = scene.command.run("plan", "tidy-up", cwd=nowhere)
    assert answer.exit_code == 2
    assert "exploration: " in answer.err


def test_results_that_a_run_wrote_are_no_edit_of_a_person(scene: PlanScene) -> None:
    refresh = {"replace": {"docs/STATE.md": ["status: stale", "status: current"]}}
    scene.tell({"when": "analytical subprocess", **proposes()}, refresh, challenger={"enabled": False}, box="host")
    assert plan(scene, "tidy-up", "--auto-handoff", "--format", "json").ending["ending"] == "FIXED"
    assert "  - passed" in scene.text()
    assert plan(scene, "tidy-up").exit_code == 0
    assert "  - passed" not in scene.text()


def test_a_plan_with_an_alternate_is_not_handed_over(scene: PlanScene) -> None:
    scene.tell(proposes(alternate="blue", alternate_when="to look first"))
    answer = plan(scene, "tidy-up", "--auto-handoff")
    assert answer.exit_code == 0
    assert "not handed over: the plan names blue too, so a person chooses" in answer.err
    assert scene.git("branch", "--list", "reknit/*") == ""


def test_tasks_that_are_taken_for_others_are_not_called_done(scene: PlanScene) -> None:
    refresh = {"replace": {"docs/STATE.md": ["status: stale", "status: current"]}}
    scene.tell({"when": "analytical subprocess", **proposes()}, refresh, challenger={"enabled": False}, box="host")
    assert plan(scene, "tidy-up", "--auto-handoff", "--format", "json").ending["ending"] == "FIXED"
    again = scene.command.run("fix", "plan", "tidy-up", "--as", "grey", cwd=scene.root)
    assert "every task of plan/tidy-up that could be taken is done" in again.err
    scene.write({FILE: scene.text().replace("Refresh docs/STATE.md", "Refresh 'docs/STATE.md'")})
    assert scene.command.run("plan", "accept", "tidy-up", cwd=scene.root).exit_code == 0
    alike = scene.command.run("fix", "plan", "tidy-up", "--as", "grey", cwd=scene.root)
    assert "no task of plan/tidy-up can be taken: 1 too much like a task that is over" in alike.err
    assert alike.exit_code == 2
