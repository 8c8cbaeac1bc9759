"""A pull-request run that waits for CI: it costs next to nothing, can be left, and goes on."""

from pathlib import Path

from dbos import DBOS

from reknit.core.runs.limits import PullLimits
from reknit.core.runs.view import EventView
from reknit.workflows.runtime.codec import HINT
from tests.tools.github import GitHub
from tests.tools.pull_play import plan, play, play_spec
from tests.tools.pull_scene import BRANCH, PASSED, SLUG, PullScene, changed

GREEN = changed(test=False, lint=False)
LONG_S = 300
"""Longer than a test may take."""


def under_way(tmp_path: Path, hub: GitHub) -> PullScene:
    """All passes but CI, which is at work."""
    scene = PullScene(tmp_path, hub, changes=GREEN, reviews=[PASSED], answers=False)
    hub.check(SLUG, hub.head(SLUG, BRANCH), "build")
    return scene


def ci_ends(hub: GitHub, conclusion: str = "success") -> None:
    hub.check(SLUG, hub.head(SLUG, BRANCH), "build", conclusion)


def test_while_ci_works_no_agent_is_called_and_the_forge_is_asked_once_a_wait(hub: GitHub, tmp_path: Path) -> None:
    scene, marks = under_way(tmp_path, hub), []

    def last() -> None:
        marks.append(len(hub.calls))
        ci_ends(hub)

    played = play(scene, at={"poll 1": lambda: marks.append(len(hub.calls)), "poll 8": last})
    assert (played.ending, played.seen("ci")) == ("CLEAN", ["pending", "pass"])
    assert (len(played.reviews), played.fixes, played.steps.count("check_tests")) == (1, [], 2)
    waiting = hub.calls[slice(*marks)]
    assert [call.status for call in waiting] == [304] * 7
    assert {call.path.rsplit("/", 2)[-2] for call in waiting} == {hub.head(SLUG, BRANCH), "pulls"}
    assert 60 / PullLimits().ci_wait_s <= 2


def test_a_pull_request_that_is_closed_while_ci_works_is_not_waited_for(hub: GitHub, tmp_path: Path) -> None:
    scene = under_way(tmp_path, hub)
    played = play(scene, at={"poll 1": lambda: hub.close_pull(SLUG, scene.number)})
    assert (played.ending, played.cause) == ("BLOCKED", "closed")


def test_a_hint_ends_the_wait_at_once(hub: GitHub, tmp_path: Path) -> None:
    scene = under_way(tmp_path, hub)

    def hint(seen: EventView) -> None:
        if seen.event.kind == "waiting":
            ci_ends(hub)
            DBOS.send(seen.run_id, "look", topic=HINT)

    played = play(scene, tell=hint, ci_wait_s=LONG_S, ci_watch_s=LONG_S)
    assert (played.ending, played.steps.count("poll")) == ("CLEAN", 1)


def test_many_hints_are_answered_with_one_look(hub: GitHub, tmp_path: Path) -> None:
    """CI with a hundred jobs says something all the time, and it must use up no patience."""
    scene = under_way(tmp_path, hub)

    def chatter(seen: EventView) -> None:
        for _ in range(4 if seen.event.kind == "waiting" else 0):
            DBOS.send(seen.run_id, "look", topic=HINT)

    spec = plan(scene, ci_wait_s=LONG_S, ci_watch_s=LONG_S, ci_patience_s=2 * LONG_S)
    played = play_spec(scene, spec, tell=chatter, at={"poll 1": lambda: ci_ends(hub)})
    assert (played.ending, played.steps.count("poll")) == ("CLEAN", 1)
