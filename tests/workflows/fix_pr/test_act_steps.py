"""Acting on a pull request beside people and bots: what they push is kept, what they ask for is dealt with once."""

from pathlib import Path
from typing import Any

import pytest

from tests.tools.github import GitHub
from tests.tools.pull_play import Played, play
from tests.tools.pull_scene import BRANCH, FIX_TEST, PASSED, REPORT, RIGHT, SLUG, SOURCE, PullScene, changed

RED = changed(lint=False)
GREEN = changed(test=False, lint=False)
LINE = 5
"""Of the report, and what a fix makes of it."""
MENDED = {"replace": {REPORT: ["return name +", "return name.title() +"]}}
ELSEWHERE = {"replace": {REPORT: ["return sum(prices)", "return 1 * sum(prices)"]}}


def scene_of(tmp_path: Path, hub: GitHub, fix: dict[str, Any] = FIX_TEST, **more: Any) -> PullScene:
    return PullScene(tmp_path, hub, **{"changes": RED, "fixes": [fix], "reviews": [PASSED], **more})


def authors(hub: GitHub) -> list[str]:
    """Of the branch's commits, oldest first, without the first commit of all."""
    return [author for *_, author in reversed(hub.log(SLUG, BRANCH))][1:]


def test_a_commit_that_lands_just_before_the_push_is_kept_beneath_the_fix(hub: GitHub, tmp_path: Path) -> None:
    scene = scene_of(tmp_path, hub)
    hub.faults.switch("branch_races")
    played = play(scene)
    assert (played.ending, authors(hub)) == ("CLEAN", ["dev", "colleague", "reknit"])
    assert [played.steps.count(step) for step in ("fix", "gate", "prove", "push", "replay")] == [1, 2, 2, 2, 1]
    assert RIGHT in hub.read(SLUG, BRANCH, SOURCE)
    tested = [event for event in played.told("prove") if event.data["holds"]]
    assert len(tested) == 2


def test_a_fix_that_a_new_commit_makes_wrong_is_not_pushed(hub: GitHub, tmp_path: Path) -> None:
    """It was right for the head that the fixer saw; what would land is tested."""
    scene = scene_of(tmp_path, hub)
    wrong = "\n\ndef discount(price: float, percent: float) -> float:\n    return 0.0\n"
    meddled = {SOURCE: RED[SOURCE] + wrong}
    played = play(scene, at={"push 1": lambda: hub.commit(SLUG, BRANCH, meddled, author="colleague")}, iterations=1)
    assert (played.ending, authors(hub)) == ("EXHAUSTED", ["dev", "colleague"])
    assert hub.read(SLUG, BRANCH, SOURCE) == meddled[SOURCE]


def test_a_person_who_mends_the_same_line_first_is_left_alone(hub: GitHub, tmp_path: Path) -> None:
    scene = scene_of(tmp_path, hub)
    theirs = {SOURCE: RED[SOURCE].replace("return price - percent", "return price - price * percent / 100")}

    def first() -> None:
        scene.ci(SLUG, BRANCH, hub.commit(SLUG, BRANCH, theirs, author="colleague"))

    played = play(scene, at={"push 1": first})
    assert (played.ending, authors(hub)) == ("CLEAN", ["dev", "colleague"])
    assert hub.read(SLUG, BRANCH, SOURCE) == theirs[SOURCE]


def test_a_branch_that_was_rewritten_is_looked_at_anew(hub: GitHub, tmp_path: Path) -> None:
    scene = scene_of(tmp_path, hub)
    old, new = hub.head(SLUG, BRANCH), ""

    def rewrite() -> None:
        nonlocal new
        new = hub.rewrite(SLUG, BRANCH)

    played = play(scene, at={"push 1": rewrite})
    commits = [sha for sha, *_ in hub.log(SLUG, BRANCH)]
    assert (played.ending, authors(hub)) == ("CLEAN", ["dev", "reknit"])
    assert (commits[1], old in commits, len(played.fixes)) == (new, False, 2)
    assert "rewritten" in played.told("iteration")[0].text


@pytest.mark.parametrize("bot", [False, True], ids=["a person's", "a bot's"])
def test_an_open_thread_is_dealt_with_answered_once_and_settled(hub: GitHub, tmp_path: Path, bot: bool) -> None:
    scene = scene_of(tmp_path, hub, MENDED, changes=GREEN)
    hub.thread(SLUG, scene.number, author="ann", file=REPORT, line=LINE, text="Names start big here.", bot=bot)
    played = play(scene)
    assert played.ending == "CLEAN"
    (asked,) = played.fixes
    assert [(finding.author, finding.file, finding.line) for finding in asked.findings] == [("ann", REPORT, LINE)]
    assert "Names start big here." in asked.prompt
    (thread,) = hub.threads(SLUG, scene.number)
    (_, answer) = thread["said"]
    assert (thread["resolved"], answer[0]) == (True, "dev")
    assert hub.head(SLUG, BRANCH)[:12] in answer[1]


def test_a_thread_whose_line_no_fix_touched_stays_open(hub: GitHub, tmp_path: Path) -> None:
    scene = scene_of(tmp_path, hub, ELSEWHERE, changes=GREEN)
    hub.thread(SLUG, scene.number, author="ann", file=REPORT, line=LINE, text="Names start big here.")
    played = play(scene, iterations=1)
    (thread,) = hub.threads(SLUG, scene.number)
    assert (played.ending, authors(hub)) == ("EXHAUSTED", ["dev", "reknit"])
    assert (thread["resolved"], len(thread["said"])) == (False, 1)


def test_a_review_that_asks_for_changes_is_dealt_with_once(hub: GitHub, tmp_path: Path) -> None:
    """It stays on the pull request until its author looks again."""
    scene = scene_of(tmp_path, hub, MENDED, changes=GREEN)
    hub.review(SLUG, scene.number, author="ann", text="Please write names with a capital.")
    played = play(scene)
    assert (played.ending, played.cause, played.seen("review")) == ("BLOCKED", "review", ["fail", "pass"])
    assert (authors(hub), "ann requested changes" in played.run.reason) == (["dev", "reknit"], True)
    (asked,) = played.fixes
    assert [(finding.author, finding.weight) for finding in asked.findings] == [("ann", "critical")]


def test_a_review_whose_fix_did_not_land_is_not_answered(hub: GitHub, tmp_path: Path) -> None:
    scene = scene_of(tmp_path, hub, {}, changes=GREEN)
    hub.review(SLUG, scene.number, author="ann", text="Please write names with a capital.")
    played = play(scene, fruitless=1)
    assert (played.ending, played.run.detail["left"]) == ("DEFERRED", ["R-1 review of ann"])


def is_blocked(played: Played, cause: str, *, agents: int = 0) -> bool:
    return (played.ending, played.cause, len(played.fixes)) == ("BLOCKED", cause, agents)


def pushed(hub: GitHub, branch: str = BRANCH, slug: str = SLUG) -> int:
    return sum(author == "reknit" for *_, author in hub.log(slug, branch))


def test_a_protected_branch(hub: GitHub, tmp_path: Path) -> None:
    scene = scene_of(tmp_path, hub)
    hub.protect(SLUG, BRANCH)
    played = play(scene)
    assert is_blocked(played, "protected", agents=1)
    assert (pushed(hub), "GH006" in played.run.reason, played.steps.count("push")) == (0, True, 1)


def test_an_app_whose_token_cannot_be_renewed_for_a_moment_still_pushes(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes=changed(lint=False), fixes=[FIX_TEST], reviews=[PASSED])
    scene.become_app()
    hub.app.lifetime_s = 60
    played = play(scene, at={"push 1": lambda: hub.faults.switch("server_error")})
    assert played.ending == "CLEAN", played.run.reason
    assert [author for *_, author in hub.log(SLUG, BRANCH)] == ["reknit", "dev", "dev"]


def test_a_fixer_without_a_login_needs_a_person(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes=changed(lint=False), fixes=[{"outcome": "login"}], reviews=[PASSED])
    played = play(scene)
    assert (played.ending, played.exit_code, len(played.fixes)) == ("BLOCKED", 4, 1)
    assert len(hub.log(SLUG, BRANCH)) == 2
