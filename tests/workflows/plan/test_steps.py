"""What the steps of a plan tell while they work."""

from tests.tools.plan_scene import FILE, PlanScene, proposes


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
