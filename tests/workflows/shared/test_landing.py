"""A proven commit reaches the user's repository, or is offered as a patch."""

import asyncio
from pathlib import Path

import pytest

from reknit.core.errors import Unavailable
from reknit.core.repository.change import REGULAR, Change, FileChange
from reknit.workflows.shared.landing import land
from tests.tools.plot import git
from tests.workflows.shared.conftest import Scene


def commit_of(scene: Scene) -> str:
    services, spec = scene
    change = Change((FileChange("new.py", None, b"x = 1\n", 0, REGULAR),))
    return services.workspace(spec).repository.commit(spec.base, change, "fix: it\n", at=1_700_000_000.0)


def test_it_lands_on_the_runs_branch_and_a_second_time_changes_nothing(scene: Scene, shop: Path) -> None:
    services, spec = scene
    commit = commit_of(scene)
    for _ in range(2):
        asyncio.run(land(services, spec, commit))
        assert git(shop, "rev-parse", spec.branch) == commit
    assert git(shop, "branch", "--show-current") == "main"


def test_a_branch_that_is_taken_parks_the_run_and_offers_the_fix(scene: Scene, shop: Path) -> None:
    services, spec = scene
    git(shop, "commit", "-q", "--allow-empty", "-m", "mine")
    git(shop, "branch", spec.branch)
    with pytest.raises(Unavailable, match="`git apply ") as parked:
        asyncio.run(land(services, spec, commit_of(scene)))
    patch = parked.value.what.partition("`git apply ")[2].partition("`")[0]
    assert "+x = 1\n" in Path(patch).read_text()
    assert git(shop, "log", "-1", "--format=%s", spec.branch) == "mine"
