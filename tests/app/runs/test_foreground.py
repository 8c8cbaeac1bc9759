"""A run in this process: one that is left while it waits can be resumed where it was."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reknit.app.runs import foreground
from reknit.app.runs import resume as resuming
from reknit.core.runs.view import EventView
from tests.tools.github import GitHub
from tests.tools.pull_play import place_of, plan
from tests.tools.pull_scene import BRANCH, PASSED, SLUG, PullScene, changed

GREEN = changed(test=False, lint=False)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as made:
        yield made
        assert made.violations == []


def under_way(tmp_path: Path, hub: GitHub) -> PullScene:
    """All passes but CI, which is at work."""
    scene = PullScene(tmp_path, hub, changes=GREEN, reviews=[PASSED], answers=False)
    hub.check(SLUG, hub.head(SLUG, BRANCH), "build")
    return scene


def ci_ends(hub: GitHub, conclusion: str = "success") -> None:
    hub.check(SLUG, hub.head(SLUG, BRANCH), "build", conclusion)


def test_a_run_that_is_left_while_it_waits_goes_on_where_it_was(hub: GitHub, tmp_path: Path) -> None:
    scene, kinds = under_way(tmp_path, hub), []
    place = place_of(scene)

    def leave(seen: EventView) -> None:
        if seen.event.kind == "waiting":
            raise KeyboardInterrupt

    left = foreground.start(place, plan(scene, ci_wait_s=2), leave, lambda _: None)
    assert (left.state, left.phase, left.ending) == ("interrupted", "wait_ci", None)
    ci_ends(hub)
    ended = resuming.resume(place, left, lambda seen: kinds.append(seen.event.kind), lambda _: None)
    assert (ended.ending, kinds.count("review")) == ("CLEAN", 1)
