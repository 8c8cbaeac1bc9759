"""Tasks of a plan in the ledger: each once, and what is done stays done."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.issues.import_tasks import import_tasks
from reknit.app.issues.ledger import RepositoryIssues
from reknit.core.issues.model import ChangeNote
from reknit.core.planning.tasks import TaskWork
from tests.tools import backlog_scene as scene
from tests.tools.command_line import CommandLine

NOTE = ChangeNote("reknit", "done", 1.0, "r-0", "c" * 40)
CHANGES = TaskWork("Add CHANGELOG.md", "M", 3, "CHANGELOG.md", ("CHANGELOG.md",), is_new=True)
FIRST = TaskWork("Rename answer in app/b1.py", "", 1, "app/b1.py", ("app/b1.py",), is_new=False)
SECOND = TaskWork("Document app/b1.py", "", 5, "app/b1.py", ("app/b1.py",), is_new=False)
ALL = (SECOND, CHANGES, FIRST)


@pytest.fixture
def backlog(reknit: CommandLine, tmp_path: Path) -> Iterator[RepositoryIssues]:
    root = scene.make(tmp_path)
    with scene.opened(reknit.environment, root) as (ledger, key):
        yield RepositoryIssues(ledger, UserRepository.find(str(root)), key, str(root))


def test_each_task_is_one_issue_in_the_order_of_the_plan(backlog: RepositoryIssues) -> None:
    found = import_tasks(backlog, "plan/tidy", ALL).issues
    assert [(each.message, each.path, each.effort_1_5, each.tools) for each in found] == [
        (work.title, work.path, work.effort_1_5, ("plan/tidy",)) for work in ALL
    ]
    assert found[1].suggestion == "impact: M"
    again = import_tasks(backlog, "plan/tidy", ALL).issues
    assert [each.id for each in again] == [each.id for each in found]


def test_what_is_resolved_ignored_or_no_longer_in_the_plan_is_not_taken(backlog: RepositoryIssues) -> None:
    second, changes, first = (each.id for each in import_tasks(backlog, "plan/tidy", ALL).issues)
    backlog.ledger.take("r-0", [second], NOTE)
    backlog.ledger.settle("r-0", [second], "RESOLVED", NOTE)
    assert [each.id for each in import_tasks(backlog, "plan/tidy", ALL).issues] == [changes, first]
    backlog.ledger.change([changes], "IGNORED", NOTE)
    assert [each.id for each in import_tasks(backlog, "plan/tidy", ALL).issues] == [first]
    assert import_tasks(backlog, "plan/tidy", (SECOND, CHANGES)).issues == ()
    assert [each.status for each in backlog.ledger.issues([second, changes, first])] == ["RESOLVED", "IGNORED", "OPEN"]


def test_plans_do_not_share_tasks(backlog: RepositoryIssues) -> None:
    [one] = import_tasks(backlog, "plan/one", (CHANGES,)).issues
    [two] = import_tasks(backlog, "plan/two", (CHANGES,)).issues
    assert (one.message, two.message) == (CHANGES.title, CHANGES.title)
    backlog.ledger.take("r-0", [one.id], NOTE)
    backlog.ledger.settle("r-0", [one.id], "FAILED", NOTE)
    assert [each.status for each in import_tasks(backlog, "plan/one", (CHANGES,)).issues] == ["FAILED"]


def test_a_task_that_the_ledger_takes_for_one_that_is_over_is_counted(backlog: RepositoryIssues) -> None:
    [first] = import_tasks(backlog, "plan/tidy", (FIRST,)).issues
    backlog.ledger.take("r-0", [first.id], NOTE)
    backlog.ledger.settle("r-0", [first.id], "RESOLVED", NOTE)
    quoted = replace(FIRST, title="Rename 'answer' in app/b1.py")
    again = import_tasks(backlog, "plan/tidy", (FIRST, quoted, CHANGES))
    assert ([each.message for each in again.issues], again.lost) == ([CHANGES.title], 1)


@pytest.mark.parametrize("character", ["\0", "\ud800"])
def test_a_task_whose_text_the_ledger_changes_is_counted(backlog: RepositoryIssues, character: str) -> None:
    odd = replace(FIRST, title=f"Rename {character}answer in app/b1.py")
    assert import_tasks(backlog, "plan/tidy", (odd, CHANGES)).lost == 1
