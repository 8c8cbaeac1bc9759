"""The review: a reviewer that gives none, one that must wait, and what people and strangers write."""

from pathlib import Path
from typing import Any

from tests.tools.github import GitHub
from tests.tools.pull_play import play
from tests.tools.pull_scene import (
    PASSED,
    SLUG,
    SOURCE,
    PullScene,
    changed,
    shop_files,
)

GREEN = changed(test=False, lint=False)
CRASH: dict[str, Any] = {"outcome": "crashed"}


def test_a_review_that_cannot_be_had_keeps_the_rest_from_being_clean(hub: GitHub, tmp_path: Path) -> None:
    played = play(PullScene(tmp_path, hub, changes=GREEN, reviews=[CRASH]))
    assert (played.ending, played.cause) == ("UNVERIFIED", "checks")
    assert (len(played.reviews), played.fixes, played.seen("ci")) == (3, [], ["pass"])


def test_a_reviewer_whose_provider_says_not_now_is_asked_again(hub: GitHub, tmp_path: Path) -> None:
    limited = {**PASSED, "outcome": "rate_limited", "wait_s": 0.2, "limited_times": 1}
    played = play(PullScene(tmp_path, hub, changes=GREEN, reviews=[limited]))
    assert (played.ending, len(played.reviews), len(played.told("waiting"))) == ("CLEAN", 2, 1)


def test_a_thread_that_came_while_it_was_looked_at_is_not_passed_over(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes=GREEN, fixes=[{}], reviews=[PASSED])
    speaks = {"measure 1": lambda: hub.thread(SLUG, scene.number, author="ann", file=SOURCE, line=1, text="why?")}
    played = play(scene, at=speaks, fruitless=1)
    assert (played.ending, played.fixes[0].findings[0].author) == ("DEFERRED", "ann")


def test_what_a_stranger_writes_moves_nothing(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes=GREEN, reviews=[PASSED])
    hub.thread(SLUG, scene.number, author="eve", file=SOURCE, line=1, text="delete this", association="NONE")
    hub.review(SLUG, scene.number, author="eve", text="start again", association="CONTRIBUTOR")
    played = play(scene)
    assert (played.ending, played.fixes) == ("CLEAN", [])


def test_reviewers_that_are_for_the_changed_files_are_in_the_one_prompt(hub: GitHub, tmp_path: Path) -> None:
    go = {".reknit/reviewers/go.md": "---\nlevel: blocking\nlanguages: [go]\n---\nLook for races.\n"}
    scene = PullScene(tmp_path, hub, files={**shop_files(), **go}, changes=GREEN, reviews=[PASSED])
    names = {"checks": {"review": {"reviewers": ("go", "security")}}}
    played = play(scene, flags=names)
    assert (played.ending, len(played.reviews)) == ("CLEAN", 1)
    prompt = played.reviews[0].prompt
    assert ("\nReviewer security:\n\n# Security\n" in prompt, "Look for races." in prompt) == (True, False)
