"""Merges are noticed without `sync`: at most once in ten minutes, and nothing is said if the forge cannot be asked."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reknit.app.installation import Installation, find_installation
from reknit.app.issues.from_forge import PAUSE_S, sync_if_due
from reknit.app.issues.ledger import RepositoryIssues, open_backlog
from reknit.store.database import open_store
from reknit.store.issues.ledger import SqlIssueLedger
from tests.tools.command_line import CommandLine
from tests.tools.github import GitHub
from tests.tools.plot import SOURCE, git
from tests.tools.resolved_issues import resolve

SLUG, FILE, BRANCH = "Acme/Plot", "src/area.py", "reknit/r-1"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as made:
        made.make_repository(SLUG, {FILE: SOURCE})
        yield made
        assert made.violations == []


@pytest.fixture
def installation(hub: GitHub, tmp_path: Path) -> Installation:
    command = CommandLine(tmp_path, {"GH_TOKEN": hub.token})
    command.configure(forge={"api": hub.url})
    return find_installation(command.environment)


@pytest.fixture
def backlog(hub: GitHub, installation: Installation, tmp_path: Path) -> RepositoryIssues:
    """A fix that was pushed and merged, and an issue that it resolved."""
    clone = tmp_path / "plot"
    git(tmp_path, "clone", "-q", f"{hub.url}/{SLUG}.git", str(clone))
    git(clone, "checkout", "-q", "-b", BRANCH)
    (clone / FILE).write_text(SOURCE.replace("import os\n", ""))
    git(clone, "commit", "-qam", "fix")
    git(clone, "-c", f"http.extraHeader=Authorization: Bearer {hub.token}", "push", "-q", "origin", "HEAD")
    backlog = open_backlog(installation, clone)
    resolve(SqlIssueLedger(open_store(installation.database)), backlog.key, git(clone, "rev-parse", "HEAD"), 1)
    return backlog


def stamp(installation: Installation) -> Path:
    (only,) = (installation.state / "synced").iterdir()
    return only


def test_a_merge_is_noticed_and_the_forge_is_not_asked_again_at_once(
    hub: GitHub, installation: Installation, backlog: RepositoryIssues
) -> None:
    number = hub.open_pull(SLUG, head=BRANCH)
    assert sync_if_due(installation, backlog) == ()
    hub.merge(SLUG, number, "squash")
    assert sync_if_due(installation, backlog) == (), "asked a moment ago"
    past = time.time() - PAUSE_S - 1
    os.utime(stamp(installation), (past, past))
    assert sync_if_due(installation, backlog) == (1,)
    assert [issue.status for issue in backlog.ledger.issues([1])] == ["MERGED"]


def test_a_forge_that_refuses_is_no_error_and_has_a_pause_too(
    installation: Installation, backlog: RepositoryIssues
) -> None:
    without = find_installation({**installation.environment, "GH_TOKEN": "wrong"})
    assert sync_if_due(without, backlog) == ()
    assert time.time() - stamp(installation).stat().st_mtime < PAUSE_S


def test_without_a_resolved_issue_nothing_is_asked(hub: GitHub, installation: Installation, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", f"{hub.url}/{SLUG}.git", str(tmp_path / "plot"))
    assert sync_if_due(installation, open_backlog(installation, tmp_path / "plot")) == ()
    assert not (installation.state / "synced").exists()
