"""What a person says about issues holds against what happens at the same moment."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.app.installation import Installation
from reknit.app.issues.change import change
from reknit.app.issues.import_reports import ImportRequest, import_reports
from reknit.app.issues.ledger import RepositoryIssues, open_backlog, open_issues
from reknit.app.issues.query import excerpt, newest_first
from reknit.core.errors import UsageProblem
from reknit.core.issues.lifecycle import Status
from reknit.core.issues.model import ChangeNote, IssueFilter
from reknit.store.database import open_store
from reknit.store.issues.ledger import SqlIssueLedger
from tests.tools.issue_samples import issue
from tests.tools.plot import make_plot, ruff


@pytest.fixture
def place(tmp_path: Path) -> Installation:
    return Installation(tmp_path / "state", f"sqlite:///{tmp_path}/state/reknit.sqlite", {})


@pytest.fixture
def backlog(tmp_path: Path, place: Installation, monkeypatch: pytest.MonkeyPatch) -> RepositoryIssues:
    """I-1 to I-4."""
    monkeypatch.setenv("HOME", str(tmp_path))
    root = make_plot(tmp_path)
    made = open_backlog(place, root)
    import_reports(place, made, ImportRequest((str(ruff(root)),)))
    return made


class Late(SqlIssueLedger):
    """A run takes the issue between a person's look and word."""

    def change(self, ids: Sequence[int], to: Status, note: ChangeNote, *, duplicate_of: int = 0) -> tuple[int, ...]:
        self.take("r-1", ids, replace(note, run_id="r-1"))
        return super().change(ids, to, note, duplicate_of=duplicate_of)


def test_a_run_that_was_quicker_is_not_overruled(place: Installation, backlog: RepositoryIssues) -> None:
    late = replace(backlog, ledger=Late(open_store(place.database)))
    with pytest.raises(UsageProblem) as caught:
        change(late, [1], "IGNORED", "false")
    assert caught.value.what == "I-1 is IN_PROGRESS and cannot be made IGNORED by hand"
    assert [one.status for one in backlog.ledger.issues([1])] == ["IN_PROGRESS"]


def test_an_issue_named_twice_is_changed_once(backlog: RepositoryIssues) -> None:
    changed = change(backlog, [2, 2], "IGNORED", "false")
    assert [one.id for one in changed.done] == [2]
    assert len(backlog.ledger.history(2)) == 2


def test_pages_lead_through_all_of_them(place: Installation, backlog: RepositoryIssues) -> None:
    found = newest_first(place, backlog, IssueFilter(), at_once=1)
    assert [one.id for one in found] == [4, 3, 2, 1]


def test_an_excerpt_is_of_this_repository_and_of_a_line_that_is_there(backlog: RepositoryIssues) -> None:
    here = issue(1, repository=backlog.key, path="src/area.py", line=2)
    assert excerpt(backlog, here) == [
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
        assert excerpt(backlog, other) == []


def test_a_run_reads_the_same_ledger(place: Installation, backlog: RepositoryIssues) -> None:
    key, ledger, reader = open_issues(place, backlog.repository)
    assert (key, ledger.counts(key)["OPEN"], reader.runs(limit=1)) == (backlog.key, 4, [])
