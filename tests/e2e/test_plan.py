"""`reknit plan` with the real claude: refused answers, every status, and the run that a current plan lets begin."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.real_agents import CANARY, CASTS
from tests.tools.command_line import Answer, CommandLine
from tests.tools.plan_scene import FILE, PROPOSAL, PlanScene
from tests.tools.scripted_model import ScriptedModel, Turn

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

CLAUDE = CASTS["claude"]
DONE: Turn = {"text": "Done."}
RIGHT = {**{key: value for key, value in PROPOSAL.items() if key != "confidence_0_100"}, "confidence": 78}
RIGHT |= {"alternate": None, "alternate_when": None}


def proposes(**change: Any) -> Turn:
    return CLAUDE.report("propose_plan", **{**RIGHT, **change})


WRONG, WORSE = proposes(extra="field"), proposes(confidence=101)
REFRESH = [*CLAUDE.edits("docs/STATE.md", "status: stale", "status: current"), DONE]


@dataclass(frozen=True)
class Stage:
    scene: PlanScene
    model: ScriptedModel
    reknit: CommandLine

    def plan(self, *arguments: str) -> Answer:
        return self.run("plan", "tidy-up", "--as-of", "2026-11-17", *arguments)

    def run(self, *arguments: str) -> Answer:
        return self.reknit.run(*arguments, "--format", "json", cwd=self.scene.root)


def staged(folder: Path, turns: Sequence[Turn]) -> Stage:
    scene, model = PlanScene(folder), ScriptedModel(turns=turns)
    reknit = CommandLine(folder, {CLAUDE.key_env: CANARY, CLAUDE.url_env: model.url})
    reknit.configure(fixer="claude", agents={"claude": {"binary": CLAUDE.binary()}}, challenger={"enabled": False})
    return Stage(scene, model, reknit)


def results(model: ScriptedModel) -> list[str]:
    """What the tool answered to the agent."""
    found = []
    for block in (part for message in model.work[-1].body["messages"] for part in message["content"]):
        if isinstance(block, dict) and block.get("type") == "tool_result":
            found.append(json.dumps(block["content"]))
    return found


def test_a_refused_answer_is_told_why_and_the_second_counts(tmp_path: Path) -> None:
    stage = staged(tmp_path, [WRONG, proposes(), DONE])
    with stage.model:
        answer = stage.plan()
    assert (answer.exit_code, answer.ending["plan"]["status"]) == (0, "current"), answer.err
    told = results(stage.model)
    assert len(told) == 2
    assert "'extra': unknown field" in told[0]
    made = stage.scene.made()
    assert (made.status, made.variant_recommendation) == ("current", "grey")
    assert "2 answers" in made.methodology
    assert "model sonnet" in made.methodology
    request = stage.model.work[0]
    assert "sonnet" in request.body["model"]
    assert not {"Bash", "Edit", "Write"} & {tool["name"] for tool in request.body["tools"]}
    assert "mcp__reknit__propose_plan" in {tool["name"] for tool in request.body["tools"]}


def test_two_refused_answers_are_a_fallback_with_both_and_a_third_is_not_read(tmp_path: Path) -> None:
    stage = staged(tmp_path, [WRONG, WORSE, proposes(), DONE])
    with stage.model:
        answer = stage.plan()
    assert (answer.exit_code, answer.ending["plan"]["status"]) == (1, "fallback")
    assert answer.ending["plan"]["failed_stage"] == "analysis"
    made = stage.scene.made()
    assert "Answer 1 was refused: 'extra': unknown field" in made.methodology
    assert "Answer 2 was refused: confidence: expected an integer from 0 to 100, got 101" in made.methodology
    assert '"extra": "field"' in made.methodology
    assert "no further answer is read" in results(stage.model)[2]


def test_prose_twice_is_a_fallback_after_one_corrective_start(tmp_path: Path) -> None:
    stage = staged(tmp_path, [{"text": "Sure! Here is a plan."}, {"text": "As I said: tidy up."}])
    with stage.model:
        answer = stage.plan()
    assert (answer.exit_code, answer.ending["plan"]["status"]) == (1, "fallback")
    made = stage.scene.made()
    assert "    Sure! Here is a plan." in made.methodology
    assert "    As I said: tidy up." in made.methodology
    assert len(stage.model.work) == 2


def test_a_file_that_is_missing_is_provisional_until_a_person_accepts_it(tmp_path: Path) -> None:
    task = {"title": "Refresh", "effort": "S", "impact": "M", "files": ["src/nothing.py", "docs/STATE.md"]}
    stage = staged(tmp_path, [proposes(tasks=[task]), DONE, *REFRESH])
    with stage.model:
        answer = stage.plan()
        assert (answer.exit_code, answer.ending["plan"]["status"]) == (1, "provisional")
        assert "src/nothing.py" in stage.scene.made().plan
        refused = stage.run("fix", "plan", FILE, "--as", "grey")
        assert refused.exit_code == 2
        assert "provisional" in refused.out
        stage.scene.write({FILE: stage.scene.text().replace("  - file: src/nothing.py\n", "")})
        stage.scene.command.run("plan", "accept", FILE, cwd=stage.scene.root)
        ran = stage.run("fix", "plan", FILE, "--as", "grey")
    assert ran.ending["ending"] == "FIXED", ran.out + ran.err
    assert "file: docs/STATE.md contains status: current\n  - passed" in stage.scene.text()


def test_a_forbidden_variant_is_a_fallback(tmp_path: Path) -> None:
    stage = staged(tmp_path, [proposes(), DONE])
    with stage.model:
        answer = stage.plan("--forbid", "grey")
    assert (answer.exit_code, answer.ending["plan"]["status"]) == (1, "fallback")
    assert "RuleVariantSafe" in stage.scene.made().plan
    assert "The operator forbids: grey." in json.dumps(stage.model.work[0].body)


def test_a_current_plan_is_handed_over_and_its_results_are_written(tmp_path: Path) -> None:
    stage = staged(tmp_path, [proposes(), DONE, *REFRESH])
    with stage.model:
        answer = stage.plan("--auto-handoff")
    assert (answer.exit_code, answer.ending["ending"]) == (0, "FIXED"), answer.out + answer.err
    run = answer.ending["run"]
    assert stage.scene.git("show", "--stat", "--format=", f"reknit/{run}").split()[0] == "docs/STATE.md"
    assert "file: docs/STATE.md contains status: current\n  - passed" in stage.scene.text()
    assert "status: stale" in stage.scene.text("docs/STATE.md")
