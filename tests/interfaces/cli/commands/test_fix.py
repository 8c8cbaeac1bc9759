"""`reknit fix pr` as a person types it: how a pull request is named, and what is said before anything starts."""

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from reknit.interfaces.cli.commands.fix import parse_pull, pr
from reknit.interfaces.cli.output.lines import leave_hint
from tests.tools.github import GitHub
from tests.tools.pull_scene import BRANCH, PullScene


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[PullScene]:
    with GitHub(tmp_path / "hub") as hub:
        yield PullScene(tmp_path, hub)


def named(given: str | None) -> tuple[int | None, str]:
    return parse_pull(click.Context(pr), pr.params[0], given)


@pytest.mark.parametrize(
    ("given", "number", "slug"),
    [
        pytest.param("12", 12, "", id="a number"),
        pytest.param("#12", 12, "", id="as people write it"),
        pytest.param("https://github.com/acme/shop/pull/12", 12, "acme/shop", id="an address"),
        pytest.param("https://git.corp.example/acme/shop/pull/12/files", 12, "acme/shop", id="a page of it"),
    ],
)
def test_a_pull_request_is_named(given: str, number: int, slug: str) -> None:
    assert named(given) == (number, slug)


@pytest.mark.parametrize("given", ["x", "0", "-1", "12a", "https://github.com/acme/shop/issues/12", "9" * 30])
def test_what_is_no_pull_request_is_refused(given: str) -> None:
    with pytest.raises(click.UsageError):
        named(given)


def test_nothing_named_is_the_current_branch() -> None:
    assert named(None) == (None, "")


def test_a_pull_request_that_waits_in_the_queue_is_taken(scene: PullScene) -> None:
    queued = scene.command.run("fix", "pr", "--queue", cwd=scene.clone)
    assert queued.exit_code == 0, queued.err
    run = queued.out.split()[0]
    again = scene.command.run("fix", "pr", f"#{scene.number}", cwd=scene.clone)
    assert again.exit_code == 2
    assert f"error[taken]: {run} is open on #{scene.number} (queued)" in again.err
    assert "`reknit worker` takes it" in again.err
    assert scene.command.run("stop", run, "--for-good", cwd=scene.clone).exit_code == 0
    ended = scene.command.run("resume", run, cwd=scene.clone)
    assert f"`reknit fix pr {scene.number}` starts a new run" in ended.err
    assert scene.command.run("undo", run, cwd=scene.clone).out == f"{run}  pushed nothing\n"


def test_a_reviewer_that_is_not_there_is_replaced_by_its_own_option(scene: PullScene) -> None:
    answer = scene.command.run("fix", "pr", "--review-agent", "gemini", cwd=scene.clone)
    assert "--review-agent" in answer.err
    assert "--agent" not in answer.err.replace("doctor --agent", "")


def test_on_a_terminal_it_says_at_once_what_it_looks_for(scene: PullScene) -> None:
    ours, theirs = pty.openpty()
    argv = [sys.executable, "-m", "reknit", "fix", "pr", "--review-agent", "nobody"]
    subprocess.run(argv, cwd=scene.clone, env=scene.command.environment, stdin=subprocess.DEVNULL, stderr=theirs)
    said = os.read(ours, 4096).decode()
    os.close(ours)
    os.close(theirs)
    assert re.match(f"looking for the pull request of {BRANCH} …\r\n", said)


def test_leaving_parks_a_run_of_ones_own_and_only_that() -> None:
    assert leave_hint("r-1", "") == "ctrl-c leaves (reknit resume r-1)"
    assert leave_hint("r-1", "the run continues") == "ctrl-c leaves (the run continues)"
