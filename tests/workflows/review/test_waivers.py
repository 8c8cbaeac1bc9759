"""What a person allows a review to change stands in the commit and the receipt."""

from reknit.core.gate.waiver import Waiver
from tests.tools.review_scene import COR, ReviewScene, confirms, mends, module, problem, says

TEST = "tests/test_answers.py"
BOTH = {"replace": {**mends(1)["replace"], TEST: ["module.answer() == 42", "42 == module.answer()"]}}
USE = f"protected-test:{TEST} allowed by a person (--allow)"


def test_the_commit_names_what_a_person_allowed_and_only_that(scene: ReviewScene) -> None:
    scene.tell([says(COR, problem(1), problem(2)), confirms()], [BOTH, mends(2)])
    played = scene.play(COR, flags={"gate": {"allow": (Waiver("protected-test", TEST),)}})
    assert played.ending == "FIXED"
    first, second = (
        scene.git("log", "-1", "--format=%B", f"{commit}")
        for commit in (f"reknit/{played.run.id}~1", f"reknit/{played.run.id}")
    )
    assert f"Reknit-Allowed: {USE}" in first.splitlines()
    assert "Reknit-Allowed" not in second
    changed = scene.git("diff", "--name-only", f"work..reknit/{played.run.id}").split()
    assert changed == [module(1), module(2), TEST]
    prompts = [asked.prompt for asked in played.asked if asked.name == "fix_review"]
    assert all(f"{TEST} (protected-test)" in prompt for prompt in prompts)


def test_without_it_the_change_is_refused_as_before(scene: ReviewScene) -> None:
    scene.tell([says(COR, problem(1)), confirms()], [BOTH], loop={"attempts": 1})
    played = scene.play(COR)
    assert (played.ending, scene.landed(played.run.id)) == ("DEFERRED", [])
    assert not any("A person allows" in asked.prompt for asked in played.asked)
