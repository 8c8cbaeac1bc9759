"""`/fix-pr` in real windows of Claude Code: a worker in the background repairs, and the window is told."""

import json
import os
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.agent_windows import WINDOWS, Ended, Environment, person
from tests.tools.github import GitHub
from tests.tools.pull_scene import FIX_TEST, PASSED, SOURCE, PullScene, changed
from tests.tools.scripted_model import Turn

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]
CLAUDE = WINDOWS["claude"]
SAID: list[Turn] = [{"text": "It runs in the background."}]


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as hub:
        yield hub
        assert hub.violations == []


@pytest.fixture
def scene(tmp_path: Path, hub: GitHub) -> PullScene:
    reviews, settings = [PASSED] * 3, {"loop": {"wait_s": 0.05}}
    return PullScene(tmp_path, hub, [FIX_TEST], reviews, changes=changed(lint=False), settings=settings)


@pytest.fixture
def environment(tmp_path: Path, scene: PullScene) -> Environment:
    own = {key: scene.command.environment[key] for key in ("GH_TOKEN", "REKNIT_CONFIG")}
    environment = {**person(tmp_path, os.environ["PATH"]), **own}
    CLAUDE.configure(environment, scene.clone)
    CLAUDE.install(environment, scene.clone)
    return environment


def test_a_window_starts_it_is_closed_and_hears_the_end_when_it_is_opened_again(
    scene: PullScene, environment: Environment
) -> None:
    session = str(uuid.uuid4())

    def ask(prompt: str, session: str = session) -> Ended:
        return CLAUDE.open(prompt, SAID, environment, scene.clone, "--session-id", session)

    started = ask("/fix-pr --max-iterations=4")
    [told] = started.told
    run = told.split()[3]
    assert told.startswith(f"UserPromptSubmit says: reknit: {run} repairs PR #1 in the background, iteration 1 of 4")
    assert ("The work is done in the background" in started.heard[0], len(started.heard)) == (True, 1)
    watched = scene.command.run("watch", run, "--format", "json", cwd=scene.clone)
    assert watched.ending["ending"] == "CLEAN", watched.err
    assert ask("How is it?", session=str(uuid.uuid4())).told == []
    again = ask("How is it?")
    [news] = again.told
    assert news.startswith(
        "Stop says: PR #1 iteration 1 of 4: review passed, tests 1 failed, CI 2/2; fix tests, pushed "
    )
    assert ("Stop says: PR CLEAN   1 attempt, 1 commit pushed, " in news, "git pull" in news) == (True, True)
    assert len(again.heard) == 1, "the window is not sent back"
    assert ask("And now?").told == []


def test_no_model_is_asked_for_what_cannot_be_repaired(scene: PullScene, environment: Environment) -> None:
    source = scene.clone / SOURCE
    source.write_text(source.read_text() + "\n")
    dirty = CLAUDE.open("/fix-pr", SAID, environment, scene.clone)
    subprocess.run(["git", "checkout", "-q", SOURCE], cwd=scene.clone, check=True)
    subprocess.run(["git", "checkout", "-q", "-b", "other"], cwd=scene.clone, check=True)
    none = CLAUDE.open("/fix-pr", SAID, environment, scene.clone)
    assert (dirty.heard, none.heard) == ([], [])
    assert "Uncommitted changes." in json.dumps(dirty.told)
    assert "No PR for current branch." in json.dumps(none.told)
