"""Writes to a pull request wait until the forge's time, a limited number of times."""

import time
from pathlib import Path

import pytest

from tests.tools.github import GitHub
from tests.tools.pull_play import play
from tests.tools.pull_scene import PASSED, SLUG, PullScene, changed

GREEN = changed(test=False, lint=False)


@pytest.mark.parametrize(("step", "next_step"), [("check_ci 1", "look 2"), ("report 1", "report 2")])
def test_a_forge_that_says_not_now_is_left_alone_until_its_time(
    hub: GitHub, tmp_path: Path, step: str, next_step: str
) -> None:
    scene, again = PullScene(tmp_path, hub, changes=GREEN, reviews=[PASSED]), []

    def limit() -> None:
        hub.faults.secondary_limit = 1

    played = play(scene, at={step: limit, next_step: lambda: again.append(time.time())})
    assert (played.ending, len(hub.comments(SLUG, scene.number)), len(played.reviews)) == ("CLEAN", 1, 1)
    (limited,) = (call for call in hub.calls if call.status == 403)
    assert again[0] - limited.at >= hub.faults.retry_after
