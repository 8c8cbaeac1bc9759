"""`reknit vote` as a person types it, and what the other commands make of such a run."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tools.command_line import Answer
from tests.tools.github import GitHub
from tests.tools.pull_scene import BRANCH, SLUG, PullScene
from tests.tools.vote_scene import ANN, BOB, WORDS, ballot, vote_scene

Here = Callable[..., Answer]


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as hub:
        yield hub
        assert hub.violations == []


@pytest.fixture
def typed(here: Here, hub: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Here:
    """A command in the clone."""
    monkeypatch.setenv("GH_TOKEN", hub.token)
    return lambda *arguments: here(*arguments, cwd=tmp_path / "shop")


@pytest.fixture
def scene(hub: GitHub, tmp_path: Path) -> PullScene:
    return vote_scene(tmp_path, hub, [ballot(ANN, 85, "warning")], [ballot(BOB, 78)], {"box": "host"})


def test_who_votes_and_the_cap_come_first_and_both_votes_last(typed: Here, scene: PullScene, hub: GitHub) -> None:
    answer = typed("vote", f"#{scene.number}", "--budget", "2")
    assert answer.exit_code == 0, answer.err
    first, second, third, *talk = answer.err.splitlines()
    run = first.split()[0]
    assert first == f"{run}  #1 Discounts as a share"
    assert second == "  ann and bob vote, neither sees the other's vote; an average of 80 approves; at most $2.00"
    assert third.startswith("  note  box `host` is not a sandbox")
    assert sum("reads the change" in line for line in talk) == 2
    head = hub.head(SLUG, BRANCH)[:7]
    assert f"approved at {head}: ann 85, bob 78, average 81.5, needs 80" in answer.out
    columns = [line.split() for line in answer.out.splitlines() if "of 100" in line]
    assert columns == [["ann", "85", "of", "100", "bob", "78", "of", "100"]]
    assert [word for word in WORDS.values() if word not in answer.out] == []
    for command in (("show",), ("show", "--why"), ("watch",)):
        assert "bob  78 of 100" in typed(*command, run).out
    assert " vote " in typed("runs").out
    assert typed("undo", run).out == f"{run}  changed nothing\n"
    assert "`reknit vote 1` starts a new run" in typed("resume", run).err
    assert "already ended CLEAN" in typed("stop", run, "--for-good").err


def test_json_for_programs_and_no_comment_where_none_is_wanted(typed: Here, scene: PullScene, hub: GitHub) -> None:
    answer = typed("vote", "--agents", "bob, ann", "--no-comment", "--format", "json")
    assert answer.exit_code == 0, answer.err
    (counted,) = answer.events("votes")
    assert (counted["scores"], counted["approved"]) == ({"bob": 78, "ann": 85}, True)
    votes = answer.ending["votes"]
    assert (answer.ending["ending"], votes["average"], [vote["agent"] for vote in votes["votes"]]) == (
        "CLEAN",
        81.5,
        [BOB, ANN],
    )
    assert hub.comments(SLUG, scene.number) == []
    shown = json.loads(typed("show", answer.ending["run"], "--format", "json").out)
    assert shown["votes"] == votes


def test_a_queued_vote_is_a_workers_and_can_be_cancelled(typed: Here, scene: PullScene, hub: GitHub) -> None:
    first = typed("vote", "--queue")
    assert first.exit_code == 0, first.err
    run = first.out.split()[0]
    assert typed("stop", run, "--for-good").out == f"{run}  CANCELLED  by a person\n"
    second = typed("vote", "--queue", "--format", "json")
    run = second.ending["run"]
    worker = scene.command.run("worker", "--until-idle")
    assert worker.exit_code == 0, worker.err
    assert typed("show", run).out.startswith(f"{run}  vote  CLEAN  approved at ")
    assert len(hub.comments(SLUG, scene.number)) == 1


@pytest.mark.parametrize(
    ("arguments", "exit_code", "told"),
    [
        pytest.param(["--agents", "ann"], 2, "expected two different agents", id="one voter"),
        pytest.param(["--agents", "claude,fast"], 2, "error[same-vendor]: claude and fast are", id="one vendor"),
        pytest.param(["--agents", "ann,gemini"], 4, "--agents selects another", id="not signed in"),
        pytest.param(["--agents", "ann,nobody"], 2, "no agent 'nobody'", id="not known"),
        pytest.param(["12x"], 2, "is not a pull request", id="no number"),
        pytest.param(["99"], 2, "there is no pull request #99", id="not there"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_spent(
    typed: Here, hub: GitHub, tmp_path: Path, arguments: list[str], exit_code: int, told: str
) -> None:
    scene = vote_scene(tmp_path, hub, [ballot(ANN, 85)], [ballot(BOB, 78)])
    path = tmp_path / "gemini"
    path.write_text("#!/bin/sh\necho 1.2.3\n")
    path.chmod(0o755)
    agents = {"fast": {"kind": "claude"}, "gemini": {"binary": str(path)}, ANN: {"kind": "scripted", "story": "[{}]"}}
    scene.command.configure(agents=agents, forge={"api": hub.url})
    answer = typed("vote", *arguments)
    assert (answer.exit_code, told in answer.err, answer.out) == (exit_code, True, ""), answer.err
    assert "no runs yet" in typed("runs").err
