"""What a plan is made from, before anything is spent."""

from pathlib import Path
from typing import Any

import pytest

from reknit.app.installation import find_installation
from reknit.app.start.planning.plan import PlanRequest, plan_topic
from reknit.core.errors import UsageError
from reknit.core.plan.task import WritePlan
from reknit.core.planning.plan_file.plan import INDEX
from tests.tools.plan_scene import AS_OF, FILE, PlanScene


@pytest.fixture
def scene(tmp_path: Path) -> PlanScene:
    scene = PlanScene(tmp_path)
    scene.tell()
    return scene


@pytest.mark.parametrize(("typed", "budget_usd"), [("max_usd: 3", 3.0), ("max_usd: 9000", 5.0), ("stay under $3", 5.0)])
def test_a_limit_in_money_holds_for_the_plan_itself_too(scene: PlanScene, typed: str, budget_usd: float) -> None:
    assert scene.plan(constraints=(typed,)).limits.budget_usd == budget_usd


def test_the_run_has_all_that_the_first_stages_found(scene: PlanScene) -> None:
    typed = ("deny_models: opus", "deny_variants: savage", "be kind")
    flags = {"plan": {"model": "haiku"}}
    spec = scene.plan("Tidy Up!", flags=flags, constraints=typed, forbid=("red",), cap="~1 hour")
    target = spec.task_as(WritePlan)
    assert (target.intent.topic, target.file, spec.kind, spec.base) == (
        "tidy-up", FILE, "plan", scene.git("rev-parse", "HEAD").strip(),
    )  # fmt: skip
    assert [(limit.kind, limit.value) for limit in target.intent.constraints] == [
        ("variant", "red"),
        ("model", "opus"),
        ("variant", "savage"),
        ("unchecked", ""),
        ("time", "3600"),
    ]
    assert target.context.docs_stale == ("docs/STATE.md",)
    assert len(target.scores) == len(target.variants) == 10
    assert not (scene.folder / "state").exists()


@pytest.mark.parametrize(
    ("settings", "agent", "model"),
    [
        ({}, "claude", "sonnet"),
        ({"fixer": "gemini"}, "gemini", "gemini-2.5-flash"),
        ({"fixer": "codex"}, "codex", ""),
        ({"agents": {"claude": {"model": "haiku"}}}, "claude", "haiku"),
        ({"plan": {"agent": "gemini", "model": "mine"}}, "gemini", "mine"),
    ],
)
def test_the_middle_model_unless_another_is_set(
    scene: PlanScene, settings: dict[str, Any], agent: str, model: str
) -> None:
    scene.command.configure(**settings)
    spec = scene.plan()
    assert (spec.agent.name, spec.agent.model) == (agent, model)


def test_an_empty_topic_is_refused_before_anything_is_paid_and_an_empty_limit_is_none(scene: PlanScene) -> None:
    with pytest.raises(UsageError, match="the topic is empty"):
        scene.plan(" ")
    assert scene.plan("tidy", constraints=("", " ")).task_as(WritePlan).intent.constraints == ()


def test_a_limit_that_the_plans_own_call_would_break_is_told_before_it_is_paid(scene: PlanScene) -> None:
    for typed, why in (("deny_models: opus", "scripted would run its own model"), ("branch: other", "the branch is")):
        with pytest.raises(UsageError, match=why):
            scene.plan(constraints=(typed,))
    assert scene.plan(constraints=("deny_models: opus",), flags={"plan": {"model": "haiku"}})


def test_no_cap_is_no_limit(scene: PlanScene) -> None:
    assert scene.plan(cap="no cap").task_as(WritePlan).intent.constraints == ()


def test_a_limit_that_no_code_can_check_is_told(scene: PlanScene) -> None:
    request = PlanRequest("tidy-up", AS_OF, constraints=("be kind",))
    notes = plan_topic(find_installation(scene.command.environment), scene.root, request, {}).notes
    assert any("only the agent is told, and no rule keeps it: be kind" in note for note in notes)


def test_the_confidence_that_is_needed_is_a_setting(scene: PlanScene) -> None:
    scene.tell(plan={"min_confidence": 80})
    assert scene.plan().task_as(WritePlan).min_confidence_0_100 == 80


def test_an_edited_plan_needs_replace(scene: PlanScene) -> None:
    scene.write({FILE: "mine\n"})
    with pytest.raises(UsageError, match="a person has edited it"):
        scene.plan()
    assert scene.plan(replaces=True).task_as(WritePlan).replaces


def test_a_long_topic_file_is_cut(scene: PlanScene) -> None:
    scene.write({"TOPIC.md": "x" * 50_000})
    assert len(scene.plan().task_as(WritePlan).intent.description) == 20_000


@pytest.mark.parametrize("file", [FILE, INDEX])
def test_what_could_not_be_written_later_is_refused_before_anything_is_paid(scene: PlanScene, file: str) -> None:
    """A branch may bring a link."""
    target = scene.folder / "other.md"
    target.write_text("x\n")
    (scene.root / file).parent.mkdir(parents=True, exist_ok=True)
    (scene.root / file).symlink_to(target)
    with pytest.raises(UsageError, match=r"emission: '.*' is a symbolic link"):
        scene.plan("Tidy Up!", replaces=True)
    assert not (scene.folder / "state").exists()
