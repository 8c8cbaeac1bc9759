"""What the steps of a plan tell while they work."""

from pathlib import Path
from typing import Any

import pytest

from reknit.adapters.git.landing import commit_all
from reknit.core.errors import UsageError
from tests.tools.plan_scene import AS_OF, FILE, PlanScene, proposes


@pytest.fixture
def scene(tmp_path: Path) -> PlanScene:
    """A repository to make a plan for."""
    return PlanScene(tmp_path)


def test_each_stage_is_told_once(scene: PlanScene) -> None:
    scene.tell({**proposes(), "refused": ["{}"]})
    played = scene.play()
    assert [event.text for event in played.events] == [
        "scripted reads the repository",
        "scripted proposes grey, after one answer that was refused",
        "current: every rule holds",
        FILE,
    ]
    assert list(dict.fromkeys(played.steps)) == [
        "analyse", "validate_plan", "emit_plan", "finish_plan",
    ]  # fmt: skip
    assert len(played.asked) == 1


GARBAGE = {"outcome": "invalid_output", "refused": ['{"primary": 7}', "Sure! Here is a plan."], "cost_usd": 0.1}


def test_a_current_plan_is_one_file_and_one_line_and_nothing_else_is_touched(scene: PlanScene) -> None:
    scene.tell()
    before = scene.untouched()
    played = scene.play(description="Bring the docs up to date", constraints=("max_usd: 5", "be kind"))
    assert (played.ending, played.exit_code) == ("CLEAN", 0)
    made = scene.made()
    assert (made.status, made.variant_recommendation, made.as_of) == ("current", "grey", AS_OF.isoformat())
    assert ([limit.text for limit in made.limits], made.constraints) == (["max_usd: 5"], ("be kind",))
    assert scene.index_lines() == [
        "- [tidy-up-advisor.md](tidy-up-advisor.md): Plan: tidy-up; current; updated 2026-11-17"
    ]
    assert scene.untouched() == before
    prompt = played.asked[0].prompt
    assert "The operator forbids: spending more than $5, anything against “be kind”." in prompt
    assert "Nobody was asked" in prompt
    assert "DocsStale:\n- docs/STATE.md" in prompt
    assert str(scene.root) not in prompt


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"confidence_0_100": 49}, "RuleConfidenceFloor"),
        ({"acceptance_criteria": ["Quality improves"]}, "RuleAcceptanceConcrete"),
        ({"tasks": [{"title": "Rewrite README.md", "effort": "S", "impact": "S"}]}, "RuleTaskFilesExist"),
        (
            {"tasks": [{"title": "Rewrite", "effort": "S", "impact": "S", "files": ["src/nothing.py"]}]},
            "RuleTaskFilesExist",
        ),
    ],
)
def test_a_soft_failure_is_provisional(scene: PlanScene, change: dict[str, object], rule: str) -> None:
    scene.tell(proposes(**change))
    played = scene.play()
    assert (played.ending, played.exit_code, scene.made().status) == ("DEFERRED", 1, "provisional")
    assert rule in scene.made().plan


@pytest.mark.parametrize(
    ("change", "wanted", "rule"),
    [
        ({"primary": "purple"}, {}, "RuleVariantExists"),
        ({"alternate": "purple", "alternate_when": "never"}, {}, "RuleVariantExists"),
        ({}, {"forbid": ("grey",)}, "RuleVariantSafe"),
        ({"primary": "world-breaker"}, {}, "RuleVariantSafe"),
        ({"primary": "old-man"}, {}, "RuleVariantSafe"),
    ],
)
def test_a_hard_failure_is_a_fallback(
    scene: PlanScene, change: dict[str, Any], wanted: dict[str, Any], rule: str
) -> None:
    scene.tell(proposes(**change))
    played = scene.play(**wanted)
    made = scene.made()
    assert (played.ending, played.exit_code, made.status, made.tasks) == ("DEFERRED", 1, "fallback", ())
    assert (made.variant_recommendation, rule in made.plan, "stage validation failed" in made.plan) == (
        "blue" if wanted else "grey", True, True,
    )  # fmt: skip


def test_a_second_refused_answer_is_a_fallback_with_both(scene: PlanScene) -> None:
    scene.tell(GARBAGE)
    played = scene.play()
    assert (played.ending, played.exit_code, scene.made().status) == ("DEFERRED", 1, "fallback")
    assert "the stage analysis failed" in scene.made().plan
    assert '{"primary": 7}' in scene.made().methodology
    assert "Sure! Here is a plan." in scene.made().methodology
    assert played.run.spent_usd == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("outcome", "ending"),
    [
        ("timeout", "DEFERRED"),
        ("crashed", "DEFERRED"),
        ("budget", "OVER_BUDGET"),
        ("refused", "DEFERRED"),
        ("auth", "BLOCKED"),
        ("turn_limit", "DEFERRED"),
    ],
)
def test_an_agent_that_fails_leaves_a_file_that_says_so(scene: PlanScene, outcome: str, ending: str) -> None:
    move = {"run": ["sh", "-c", "exit 3"]} if outcome in ("crashed", "timeout") else {"outcome": outcome}
    scene.tell(move)
    played = scene.play()
    assert (played.ending, played.exit_code, scene.made().status) == (ending, 1, "fallback")
    assert "the agent gave no answer" in scene.made().plan


def test_a_rate_limit_is_waited_for(scene: PlanScene) -> None:
    scene.tell({**proposes(), "outcome": "rate_limited", "wait_s": 0.1, "limited_times": 1, "account": "one"})
    assert scene.play().ending == "CLEAN"


def test_a_limit_that_never_ends_is_a_fallback(scene: PlanScene) -> None:
    scene.tell({"outcome": "rate_limited", "wait_s": 0.01}, loop={"waits": 2})
    played = scene.play()
    assert (played.ending, scene.made().status) == ("BLOCKED", "fallback")


def test_a_configured_repository_falls_back_to_blue(scene: PlanScene) -> None:
    scene.write({"reknit.toml": "fixer = 'claude'\n"})
    commit_all(str(scene.root), "configure")
    scene.tell(GARBAGE)
    scene.play(flags={"fixer": "scripted"})
    assert scene.made().variant_recommendation == "blue"


def test_a_plan_that_reknit_wrote_is_replaced_and_its_line_too(scene: PlanScene) -> None:
    scene.tell(proposes(confidence_0_100=10))
    scene.play()
    scene.tell()
    assert scene.play().ending == "CLEAN"
    assert (scene.made().status, len(scene.index_lines())) == ("current", 1)


def test_a_plan_that_is_edited_while_the_agent_works_is_left_alone(scene: PlanScene) -> None:
    scene.tell()

    def edit() -> None:
        scene.write({FILE: "my own plan\n"})

    played = scene.play(at={"validate_plan 1": edit})
    assert (played.ending, scene.text()) == ("DEFERRED", "my own plan\n")
    assert "--replace" in played.run.reason
    assert not (scene.root / ".reknit/plans/index.md").exists()


def test_with_replace_it_is_overwritten(scene: PlanScene) -> None:
    scene.write({FILE: "my own plan\n"})
    scene.tell()
    assert scene.play(replaces=True).ending == "CLEAN"
    assert scene.made().status == "current"


def test_a_folder_that_cannot_be_written_is_told_with_its_stage(scene: PlanScene) -> None:
    scene.tell()
    played = scene.play(at={"emit_plan 1": lambda: scene.write({".reknit": "a file\n"})})
    assert played.exit_code != 0
    assert "emission: '.reknit' in" in played.run.reason
    with pytest.raises(UsageError, match=r"emission: '\.reknit' in"):
        scene.plan()
