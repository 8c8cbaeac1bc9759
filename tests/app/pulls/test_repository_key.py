"""Clones of one repository share their issues."""

from pathlib import Path

import pytest

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.pulls.remotes import repository_key
from tests.tools.plot import git, make_plot


@pytest.fixture
def plot(tmp_path: Path) -> Path:
    return make_plot(tmp_path)


@pytest.mark.parametrize(
    ("remotes", "key"),
    [
        pytest.param({}, "", id="none"),
        pytest.param({"origin": "/srv/plot.git"}, "", id="one on no forge"),
        pytest.param({"a": "https://github.com/a/plot", "origin": "https://github.com/o/Plot.git"}, "github.com/o/plot",
                     id="origin first"),
        pytest.param({"me": "https://github.com/m/plot", "upstream": "git@github.com:U/plot.git"}, "github.com/u/plot",
                     id="then upstream"),
        pytest.param({"origin": "/srv/plot.git", "z": "https://git.corp.test/z/plot"}, "git.corp.test/z/plot",
                     id="any that is on a forge"),
    ],
)  # fmt: skip
def test_clones_of_one_repository_have_one_key(plot: Path, remotes: dict[str, str], key: str) -> None:
    for name, url in remotes.items():
        git(plot, "remote", "add", name, url)
    assert repository_key(UserRepository.find(str(plot))) == (key or str(plot))
