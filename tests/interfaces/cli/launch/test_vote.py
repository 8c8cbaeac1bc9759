"""A vote as a person starts it: who votes and what it may cost come first."""

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
    for command in ("show", "explain", "watch"):
        assert "bob  78 of 100" in typed(command, run).out
    assert " vote " in typed("runs").out
    assert typed("undo", run).out == f"{run}  changed nothing\n"
    assert "`reknit vote 1` starts a new run" in typed("resume", run).err
    assert "already ended CLEAN" in typed("cancel", run).err
