"""What must not be called clean: what somebody did while it was looked at, and what only seems to be there."""

from pathlib import Path

import pytest

from reknit.app.runs.stop import cancel_run
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import EventView
from tests.tools.github import GitHub
from tests.tools.pull_play import place_of, plan, play, play_spec
from tests.tools.pull_scene import BRANCH, PASSED, RIGHT, SLUG, SOURCE, WRONG, PullScene, changed, shop_files

GREEN = changed(test=False, lint=False)
BROKEN = {SOURCE: shop_files()[SOURCE].replace(RIGHT, WRONG)}


def test_a_push_while_it_was_looked_at_is_looked_at_too(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes=GREEN, reviews=[PASSED])
    played = play(scene, at={"measure 1": lambda: scene.ci(SLUG, BRANCH, hub.commit(SLUG, BRANCH, BROKEN))})
    assert (played.seen("tests")[:2], played.ending) == (["pass", "fail"], "CLEAN")
    assert hub.log(SLUG, BRANCH)[0][0][:7] in played.run.reason
    assert RIGHT in hub.read(SLUG, BRANCH, SOURCE)


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


def test_a_fork_with_the_same_branch_name_is_compared_with_the_base(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes=GREEN, reviews=[PASSED])
    fork = hub.fork(SLUG, "dev")
    scene.ci(fork, "main", hub.commit(fork, "main", GREEN))
    number = hub.open_pull(SLUG, head="main", head_slug=fork)
    played = play(scene, number)
    assert (played.ending, "shop/report.py" in played.reviews[0].facts["files"]) == ("CLEAN", True)


def test_a_pull_request_that_takes_ci_out_is_not_clean_without_it(hub: GitHub, tmp_path: Path) -> None:
    changes: dict[str, str | None] = {**GREEN, ".github/workflows/ci.yml": None}
    scene = PullScene(tmp_path, hub, changes=changes, answers=False, reviews=[PASSED])  # type: ignore[arg-type]
    assert play(scene, ci_grace_s=0.2, error_retries=0).ending == "UNVERIFIED"


def test_a_check_that_was_red_is_awaited_until_it_is_seen_green(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes=changed(test=False), reviews=[PASSED], fixes=PullScene.fixes[1:])

    def only_the_build(slug: str, branch: str, sha: str) -> None:
        hub.check(slug, sha, "build", "success")

    hub.on_push = only_the_build
    played = play(scene, ci_grace_s=0.1, ci_patience_s=1.0)
    assert (played.ending, "CI gave no result" in played.run.reason) == ("UNVERIFIED", True)


def test_a_credential_goes_to_no_other_host(hub: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from reknit.core.errors import UsageProblem
    from reknit.workflows.shared.forge_calls import remote

    spec: RunSpec = plan(PullScene(tmp_path, hub, changes=GREEN))
    with pytest.raises(UsageProblem, match="another host"):
        remote(None, spec, "https://evil.example.org/acme/shop.git")  # type: ignore[arg-type]


def test_a_cancelled_run_does_not_stay_at_work_on_the_pull_request(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, reviews=[PASSED])
    spec = plan(scene)

    def stop(seen: EventView) -> None:
        if seen.event.kind == "iteration":
            cancel_run(place_of(scene), spec.run_id)

    assert play_spec(scene, spec, tell=stop).ending == "CANCELLED"
    (comment,) = hub.comments(SLUG, scene.number)
    assert "### reknit: CANCELLED" in comment["body"]
