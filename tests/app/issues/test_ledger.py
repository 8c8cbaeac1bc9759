"""Where the issues of a repository are kept."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.app.installation import Installation, find_installation
from reknit.app.issues.import_reports import ImportRequest, import_reports
from reknit.app.issues.ledger import RepositoryIssues, change_status, local_user, open_backlog, open_issues
from reknit.app.issues.query import list_newest_first, read_excerpt
from reknit.core.errors import UsageError
from reknit.core.issues.lifecycle import Status
from reknit.core.issues.model import ChangeNote, IssueFilter
from reknit.store.database import open_store
from reknit.store.issues.ledger import SqlIssueLedger
from tests.tools.issue_list import Here, listed
from tests.tools.issue_samples import issue
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
    installation = find_installation({"REKNIT_STATE": str(tmp_path / "state")})
    (tmp_path / "link").symlink_to(plot / "src")
    backlog = open_backlog(installation, tmp_path / "link")
    assert (backlog.folder, backlog.repository.root) == (str(plot / "src"), str(plot))
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


def test_somebody_without_a_name_is_somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "ann")
    assert local_user() == "ann"
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000_000)  # a container's user that no file names
    assert local_user() == "somebody"


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(tmp_path / "state", f"sqlite:///{tmp_path}/state/reknit.sqlite", {})


@pytest.fixture
def backlog(tmp_path: Path, installation: Installation, monkeypatch: pytest.MonkeyPatch) -> RepositoryIssues:
    """I-1 to I-4."""
    monkeypatch.setenv("HOME", str(tmp_path))
    root = make_plot(tmp_path)
    made = open_backlog(installation, root)
    import_reports(installation, made, ImportRequest((str(ruff(root)),)))
    return made


class Late(SqlIssueLedger):
    """A run takes the issue between a person's look and word."""

    def change(self, ids: Sequence[int], to: Status, note: ChangeNote, *, duplicate_of: int = 0) -> tuple[int, ...]:
        self.take("r-1", ids, replace(note, run_id="r-1"))
        return super().change(ids, to, note, duplicate_of=duplicate_of)


def test_a_run_that_was_quicker_is_not_overruled(installation: Installation, backlog: RepositoryIssues) -> None:
    late = replace(backlog, ledger=Late(open_store(installation.database)))
    with pytest.raises(UsageError) as caught:
        change_status(late, [1], "IGNORED", "false")
    assert caught.value.message == "I-1 is IN_PROGRESS and cannot be made IGNORED by hand"
    assert [one.status for one in backlog.ledger.issues([1])] == ["IN_PROGRESS"]


def test_an_issue_named_twice_is_changed_once(backlog: RepositoryIssues) -> None:
    changed = change_status(backlog, [2, 2], "IGNORED", "false")
    assert [one.id for one in changed.changed] == [2]
    assert len(backlog.ledger.history(2)) == 2


def test_pages_lead_through_all_of_them(installation: Installation, backlog: RepositoryIssues) -> None:
    found = list_newest_first(installation, backlog, IssueFilter(), at_once=1)
    assert [one.id for one in found] == [4, 3, 2, 1]


def test_an_excerpt_is_of_this_repository_and_of_a_line_that_is_there(backlog: RepositoryIssues) -> None:
    here = issue(1, repository=backlog.key, path="src/area.py", line=2)
    assert read_excerpt(backlog, here) == [
        (1, "import os"),
        (2, "import sys"),
        (3, ""),
        (4, ""),
        (5, "def area(width, height):"),
    ]
    Path(backlog.repository.root, "data.bin").write_bytes(b"\0\n\0\n")
    for other in (
        replace(here, line=0),
        replace(here, line=99),
        replace(here, path="gone.py"),
        replace(here, path="data.bin", line=1),
        replace(here, path="../plot/src/area.py"),
        replace(here, repository="github.com/acme/shop"),
    ):
        assert read_excerpt(backlog, other) == []


def test_a_run_reads_the_same_ledger(installation: Installation, backlog: RepositoryIssues) -> None:
    key, ledger, reader = open_issues(installation, backlog.repository)
    assert (key, ledger.counts(key)["OPEN"], reader.runs(limit=1)) == (backlog.key, 4, [])
