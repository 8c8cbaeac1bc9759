"""A run in this process: one that is left while it waits can be resumed where it was."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reknit.app.runs import foreground
from reknit.app.start.queue import queue_run
from reknit.core.errors import UsageError
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import EventView
from tests.tools.github import GitHub
from tests.tools.pull_play import place_of, plan
from tests.tools.pull_samples import TARGET
from tests.tools.pull_scene import BRANCH, PASSED, SLUG, PullScene, changed
from tests.tools.recorded_runs import make_place, open_ledger, spec

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
    installation = place_of(scene)

    def leave(seen: EventView) -> None:
        if seen.event.kind == "waiting":
            raise KeyboardInterrupt

    left = foreground.start_here(installation, plan(scene, ci_wait_s=2), leave, lambda _: None)
    assert (left.state, left.phase, left.ending) == ("interrupted", "wait_ci", None)
    ci_ends(hub)
    ended = foreground.resume(installation, left, lambda seen: kinds.append(seen.event.kind), lambda _: None)
    assert (ended.ending, kinds.count("review")) == ("CLEAN", 1)


@pytest.mark.parametrize(
    ("ended", "again"),
    [
        pytest.param(spec(), "`reknit fix tests`", id="tests"),
        pytest.param(spec(task=TARGET), "`reknit fix pr 412`", id="a pull request"),
    ],
)
def test_a_run_that_has_ended_names_the_command_for_a_new_one(tmp_path: Path, ended: RunSpec, again: str) -> None:
    installation = make_place(tmp_path)
    ledger = open_ledger(installation)
    ledger.create(ended)
    assert foreground.find_open_run(installation, "r-1").state == "queued"
    ledger.end("r-1", Ending("CLEAN", "all pass"))
    with pytest.raises(UsageError, match="r-1 has ended CLEAN") as caught:
        foreground.find_open_run(installation, "r-1")
    assert (caught.value.name, caught.value.help) == ("ended", f"{again} starts a new run")


def test_a_run_in_the_queue_is_left_to_the_workers(tmp_path: Path) -> None:
    installation = make_place(tmp_path)
    queue_run(installation, spec())
    nobody = {"tell": lambda _: pytest.fail("it was followed"), "tick": lambda _: pytest.fail("it was followed")}
    with pytest.raises(UsageError, match="r-1 is queued for a worker") as caught:
        foreground.resume(installation, foreground.find_open_run(installation, "r-1"), **nobody)
    assert "`reknit watch r-1` follows it" in caught.value.help
