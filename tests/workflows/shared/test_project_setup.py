"""The set-up as a step: once, before the first test; what is gone is built again."""

import asyncio
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.core.errors import UnavailableError
from reknit.core.runs.spec import ProjectSetups, UncommittedWork
from reknit.core.setup.layers import Setup
from reknit.workflows.shared.project_setup import hold_layers
from reknit.workflows.shared.work_folders import run_tests
from tests.adapters.git.users_git import git, head
from tests.workflows.shared.conftest import Scene

MAKE = "mkdir -p node_modules && echo installed > node_modules/mark && touch stray"


def commit(repository: Path, name: str, text: str) -> str:
    (repository / name).write_text(text)
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", f"--message={text}")
    return head(repository)


def layers_of(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "state" / "layers").iterdir())


def test_a_layer_that_is_gone_is_built_again(scene: Scene, tmp_path: Path) -> None:
    services, spec = scene
    spec = replace(spec, setups=ProjectSetups(commands=(Setup("", MAKE),)), box="bubblewrap")
    for _ in range(2):
        held = asyncio.run(hold_layers(services, spec, "r/x"))
        assert isinstance(held, tuple)
        ((place, folder),) = held[0].folders
        assert (place, Path(folder, "mark").read_text()) == ("node_modules", "installed\n")
        assert layers_of(tmp_path) == [held[0].name]
        services.setups.release("r/x")
        shutil.rmtree(tmp_path / "state" / "layers" / held[0].name)


READS = "mkdir -p node_modules && cat ho?k > node_modules/mark"


def marked(scene: Scene, base: str, fork: str, on_top_of: str = "") -> str:
    """What the layer says that a run on this commit uses."""
    services, spec = scene
    spec = replace(
        spec,
        setups=replace(spec.setups, fork=fork, commands=(Setup("", READS),)),
        uncommitted=UncommittedWork(on_top_of=on_top_of),
        base=base,
        box="bubblewrap",
    )
    services.workspace(spec).ensure_commits()
    held = asyncio.run(hold_layers(services, spec, "r/x"))
    services.setups.release("r/x")
    assert isinstance(held, tuple)
    return Path(held[0].folders[0][1], "mark").read_text()


def test_no_branch_leaves_a_layer_to_another_one(scene: Scene, shop: Path) -> None:
    """An install script reads `hook`, which the command does not name, so it is not in the key."""
    first = commit(shop, "hook", "first")
    evil = commit(shop, "hook", "evil")
    later = commit(shop, "hook", "later")
    git(shop, "checkout", "--quiet", first)
    mine = commit(shop, "other", "mine")
    assert marked(scene, evil, first) == "evil"
    assert marked(scene, later, first) == "evil", "its own history"
    assert marked(scene, mine, first) == "first"
    assert marked(scene, later, later) == "later", "merged: made from the default branch now"
    assert marked(scene, mine, "") == "first", "what it has made itself"


def test_the_default_branch_shares_its_layers_and_uses_no_other(scene: Scene, shop: Path) -> None:
    first = commit(shop, "hook", "first")
    evil = commit(shop, "hook", "evil")
    harmless = commit(shop, "hook", "harmless")
    assert marked(scene, evil, first) == "evil"
    assert marked(scene, harmless, harmless) == "harmless", "made before it was merged"
    git(shop, "checkout", "--quiet", harmless)
    mine = commit(shop, "other", "mine")
    assert marked(scene, mine, harmless) == "harmless"
    assert marked(scene, mine, mine) == "harmless", "only unrelated files changed"
    assert marked(scene, first, first) == "first", "it does not continue what the layer was made from"


def test_a_fork_leaves_no_layer_to_the_official_repository_at_the_same_path(scene: Scene, shop: Path) -> None:
    official = commit(shop, "hook", "official")
    fork = commit(shop, "hook", "fork")
    assert marked(scene, fork, fork) == "fork"
    assert marked(scene, official, official) == "official", "without remotes, by the commit alone"
    services, spec = scene
    repaired = commit(shop, "hook", "the fork is merged without its change")
    assert marked(
        (services, replace(spec, setups=replace(spec.setups, remote="official"))), repaired, repaired
    ).startswith("the fork is merged")


def test_uncommitted_work_is_found_again_by_its_tree(scene: Scene, shop: Path) -> None:
    first = commit(shop, "hook", "first")
    one = commit(shop, "hook", "uncommitted")
    git(shop, "commit", "--quiet", "--amend", "--message=again")
    again = head(shop)
    assert one != again
    assert [marked(scene, each, first, on_top_of=each) for each in (one, again)] == ["uncommitted"] * 2
    services, _ = scene
    assert len(services.setups.names("")) == 1


def test_tests_run_with_the_layer_and_without_the_stray_file(scene: Scene) -> None:
    services, spec = scene
    check = replace(spec.tests, runner="command", evidence="exit code", select=(), report="")
    check = replace(check, argv=("sh", "-c", "grep installed node_modules/mark && test ! -e stray"))
    spec = replace(
        spec, setups=ProjectSetups(commands=(Setup("", MAKE),)), box="bubblewrap", tests=check, other_projects=()
    )
    report = asyncio.run(run_tests(services, spec, "base-0", spec.base))
    assert report.status == "pass", report.output_tail


def test_a_layer_that_cannot_be_built_again_parks_the_run(scene: Scene) -> None:
    """It is no result of the tests, so no attempt is blamed and no agent is called again."""
    services, spec = scene
    spec = replace(spec, setups=ProjectSetups(commands=(Setup("", "echo no such package; exit 3"),)), box="bubblewrap")
    why = "the set-up `echo no such package; exit 3` failed: exit code 3; it printed: no such package"
    with pytest.raises(UnavailableError, match=f"what was installed is gone, and {re.escape(why)}"):
        asyncio.run(run_tests(services, spec, "base-0", spec.base))
