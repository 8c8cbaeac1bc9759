"""Where the issues of a repository are kept."""

import os
from pathlib import Path

import pytest

from reknit.app.installation import installation
from reknit.app.issues.ledger import open_backlog, person
from tests.tools.issue_list import Here, listed
from tests.tools.plot import git, make_plot, ruff


@pytest.fixture
def plot(tmp_path: Path) -> Path:
    return make_plot(tmp_path)


@pytest.fixture
def full(here: Here, plot: Path) -> Path:
    """The same with its report taken in: I-1 to I-4."""
    assert here("issues", "import", str(ruff(plot)), cwd=plot).exit_code == 0
    return plot


def test_issues_of_another_repository_are_left_alone(here: Here, full: Path, shop: Path) -> None:
    answer = here("issues", "ignore", "I-1", "--why", "x", cwd=shop)
    assert (answer.exit_code, answer.err.splitlines()[0]) == (
        2, f"error[no-issue]: I-1 belongs to {full}, but this is {shop}",
    )  # fmt: skip
    assert listed(here, shop) == []


def test_two_clones_of_one_repository_share_their_issues(here: Here, full: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git(full, "clone", "-q", ".", str(other))
    git(full, "remote", "add", "origin", "git@github.com:Acme/Plot.git")
    git(other, "remote", "set-url", "origin", "https://github.com/acme/plot")
    assert listed(here, full) == []
    here("issues", "import", str(ruff(full)), cwd=full)
    assert {issue["repository"] for issue in listed(here, other)} == {"github.com/acme/plot"}


def test_the_folder_one_stands_in_is_kept(plot: Path, tmp_path: Path) -> None:
    place = installation({"REKNIT_STATE": str(tmp_path / "state")})
    (tmp_path / "link").symlink_to(plot / "src")
    backlog = open_backlog(place, tmp_path / "link")
    assert (backlog.folder, backlog.repository.root) == (str(plot / "src"), str(plot))
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


def test_somebody_without_a_name_is_somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "ann")
    assert person() == "ann"
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000_000)  # a container's user that no file names
    assert person() == "somebody"
