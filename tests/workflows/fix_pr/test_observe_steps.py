"""What a run sees of a pull request: whether it may be fixed, by whom, and whether it is still the same."""

import html
from pathlib import Path
from typing import Any

import pytest

from reknit.core.errors import UsageError
from reknit.store.database import open_store
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from tests.tools.github import GitHub
from tests.tools.pull_play import Played, place_of, plan, play, play_spec
from tests.tools.pull_scene import (
    BRANCH,
    FIX_LINT,
    FIX_TEST,
    PASSED,
    RIGHT,
    SLUG,
    SOURCE,
    WRONG,
    PullScene,
    changed,
    shop_files,
)

GREEN = changed(test=False, lint=False)
BROKEN = {SOURCE: shop_files()[SOURCE].replace(RIGHT, WRONG)}

RED = changed(lint=False)


def scene_of(tmp_path: Path, hub: GitHub, **more: Any) -> PullScene:
    """One red test, which the fixer mends."""
    return PullScene(tmp_path, hub, **{"changes": RED, "fixes": [FIX_TEST, FIX_LINT], "reviews": [PASSED], **more})


def from_a_fork(tmp_path: Path, hub: GitHub, **pull: Any) -> tuple[PullScene, int]:
    scene = scene_of(tmp_path, hub)
    fork = hub.fork(SLUG, "mallory")
    hub.commit(fork, "theirs", RED, author="mallory")
    return scene, hub.open_pull(SLUG, head="theirs", head_slug=fork, author="mallory", **pull)


def of_a_stranger(tmp_path: Path, hub: GitHub, files: dict[str, str] = RED) -> tuple[PullScene, int]:
    """On a branch that reknit may push to."""
    scene = scene_of(tmp_path, hub)
    scene.ci(SLUG, "theirs", hub.commit(SLUG, "theirs", files, author="mallory"))
    return scene, hub.open_pull(SLUG, head="theirs", author="mallory", association="NONE")


def is_blocked(played: Played, cause: str, *, agents: int = 0) -> bool:
    return (played.ending, played.cause, len(played.fixes)) == ("BLOCKED", cause, agents)


def pushed(hub: GitHub, branch: str = BRANCH, slug: str = SLUG) -> int:
    return sum(author == "reknit" for *_, author in hub.log(slug, branch))


def test_one_that_was_closed_meanwhile_keeps_what_landed_before(hub: GitHub, tmp_path: Path) -> None:
    scene = scene_of(tmp_path, hub)
    played = play(scene, at={"look 2": lambda: hub.close_pull(SLUG, scene.number)})
    assert is_blocked(played, "closed", agents=1)
    assert (pushed(hub), len(hub.comments(SLUG, scene.number))) == (1, 1)
    assert "is closed; reopen it" in played.run.reason


def test_one_that_conflicts_with_its_base(hub: GitHub, tmp_path: Path) -> None:
    scene = scene_of(tmp_path, hub)
    hub.commit(SLUG, "main", {SOURCE: RED[SOURCE].replace("return price - percent", "return price")})
    played = play(scene)
    assert is_blocked(played, "conflict")
    assert (played.asked, pushed(hub), "git merge FETCH_HEAD" in played.run.reason) == ([], 0, True)


def test_one_whose_fork_is_gone(hub: GitHub, tmp_path: Path) -> None:
    scene, number = from_a_fork(tmp_path, hub)
    hub.delete_repository("mallory/shop")
    played = play(scene, number)
    assert (is_blocked(played, "fork-gone"), played.asked) == (True, [])


def test_one_of_a_fork_that_takes_no_push_is_looked_at_and_told_of(hub: GitHub, tmp_path: Path) -> None:
    scene, number = from_a_fork(tmp_path, hub, maintainer_can_modify=False)
    played = play(scene, number)
    assert is_blocked(played, "no-push")
    assert (played.seen("tests"), len(played.reviews), pushed(hub, "theirs", "mallory/shop")) == (["fail"], 1, 0)
    (comment,) = hub.comments(SLUG, number)
    assert "test_discount_is_a_share" in html.unescape(comment["body"])
    assert "gh pr checkout" in comment["body"]


@pytest.mark.parametrize("label", ["", "another commit's"])
def test_a_strangers_pull_request_is_only_looked_at(hub: GitHub, tmp_path: Path, label: str) -> None:
    scene, number = of_a_stranger(tmp_path, hub)
    if label:
        hub.label(SLUG, number, f"reknit:{hub.head(SLUG, 'main')}")
    played = play(scene, number, flags={"box": "bubblewrap"})
    assert is_blocked(played, "untrusted")
    assert (played.seen("tests"), pushed(hub, "theirs")) == (["fail"], 0)
    assert f"reknit:{hub.head(SLUG, 'theirs')}" in hub.comments(SLUG, number)[0]["body"]


def test_a_strangers_tests_do_not_run_with_the_users_rights(hub: GitHub, tmp_path: Path) -> None:
    scene, number = of_a_stranger(tmp_path, hub, changed())
    played = play(scene, number, flags={"box": "host"})
    assert (played.ending, played.cause, played.seen("tests")) == ("BLOCKED", "untrusted", [])


def test_a_label_that_names_the_commit_lets_reknit_finish_what_it_began(hub: GitHub, tmp_path: Path) -> None:
    """Its own commits on top need no label of their own."""
    scene, number = of_a_stranger(tmp_path, hub, changed())
    hub.label(SLUG, number, f"reknit:{hub.head(SLUG, 'theirs')}")
    played = play(scene, number)
    assert (played.ending, pushed(hub, "theirs")) == ("CLEAN", 2), played.run.reason


@pytest.mark.parametrize(
    ("step", "fixes"), [("look 2", 1), ("push 1", 0)], ids=["on top of the first fix", "beneath it"]
)
def test_a_commit_that_came_after_the_label_is_not_trusted(hub: GitHub, tmp_path: Path, step: str, fixes: int) -> None:
    """Not even with our own trailers, which anybody can write; and no fix is put on top of it."""
    scene, number = of_a_stranger(tmp_path, hub, changed())
    hub.label(SLUG, number, f"reknit:{hub.head(SLUG, 'theirs')}")
    spec = plan(scene, number)
    forged = f"fix: nothing\n\nReknit-Run: {spec.run_id}\nReknit-Hop: 1\n"

    def later() -> None:
        scene.ci(SLUG, "theirs", hub.commit(SLUG, "theirs", {"x.py": "X = 1\n"}, message=forged, author="mallory"))

    played = play_spec(scene, spec, at={step: later})
    assert (is_blocked(played, "untrusted", agents=1), pushed(hub, "theirs")) == (True, fixes)


def test_runs_that_follow_each_other_without_a_person_have_an_end(hub: GitHub, tmp_path: Path) -> None:
    scene = scene_of(tmp_path, hub)
    for hop in (1, 2, 3):
        message = f"fix: {hop}\n\nReknit-Run: r-{hop}\nReknit-Hop: {hop}\n"
        scene.ci(SLUG, BRANCH, hub.commit(SLUG, BRANCH, {f"notes/{hop}.txt": "x\n"}, message=message))
    played = play(scene)
    assert (is_blocked(played, "hops"), pushed(hub)) == (True, 0)
    scene.ci(SLUG, BRANCH, hub.commit(SLUG, BRANCH, {"notes/person.txt": "mine\n"}))
    assert (play(scene).ending, pushed(hub)) == ("CLEAN", 1)


@pytest.mark.parametrize("step", ["check_ci 1", "push 1"])
def test_a_login_that_is_revoked_on_the_way(hub: GitHub, tmp_path: Path, step: str) -> None:
    played = play(scene_of(tmp_path, hub), at={step: lambda: hub.faults.revoked.add(hub.token)})
    assert (played.ending, played.cause, played.exit_code, pushed(hub)) == ("BLOCKED", "login", 4, 0)


def test_a_second_run_on_the_same_pull_request_is_refused(hub: GitHub, tmp_path: Path) -> None:
    scene = scene_of(tmp_path, hub, changes=changed(test=False, lint=False))
    early, refused = plan(scene), []

    def second() -> None:
        with pytest.raises(UsageError, match="is open on #1") as problem:
            plan(scene)
        refused.append(problem.value.exit_code)

    assert (play(scene, at={"check_ci 1": second}).ending, refused) == ("CLEAN", [2])
    database = open_store(place_of(scene).database)
    ledger = SqlRunLedger(database)
    first = plan(scene)
    ledger.create(first)
    ledger.claim(first.task.claim, first.run_id)
    calls = len(hub.calls)
    with pytest.raises(UsageError, match=f"{first.run_id} is open on #1"):
        play_spec(scene, early)
    assert RunReader(database).run(early.run_id).ending == "CANCELLED"
    assert RunReader(database).holder(first.task.claim) == first.run_id
    database.dispose()
    assert hub.calls[calls:] == []


def test_a_push_while_it_was_looked_at_is_looked_at_too(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes=GREEN, reviews=[PASSED])
    played = play(scene, at={"measure 1": lambda: scene.ci(SLUG, BRANCH, hub.commit(SLUG, BRANCH, BROKEN))})
    assert (played.seen("tests")[:2], played.ending) == (["pass", "fail"], "CLEAN")
    assert hub.log(SLUG, BRANCH)[0][0][:7] in played.run.reason
    assert RIGHT in hub.read(SLUG, BRANCH, SOURCE)


def test_a_fork_with_the_same_branch_name_is_compared_with_the_base(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes=GREEN, reviews=[PASSED])
    fork = hub.fork(SLUG, "dev")
    scene.ci(fork, "main", hub.commit(fork, "main", GREEN))
    number = hub.open_pull(SLUG, head="main", head_slug=fork)
    played = play(scene, number)
    assert (played.ending, "shop/report.py" in played.reviews[0].facts["files"]) == ("CLEAN", True)
