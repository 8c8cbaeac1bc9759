"""Collects an overview of a repository: agents, tests, CI, past runs. Calls no model and changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, load
from reknit.app.installation import Installation
from reknit.app.issues.ledger import open_issues
from reknit.app.issues.query import count_absent
from reknit.app.runs.liveness import mark_orphaned
from reknit.app.start.agents import read_agent_facts
from reknit.app.start.fix_tests import list_uncommitted
from reknit.app.start.projects import list_projects
from reknit.core.agents.call import AgentFacts
from reknit.core.capabilities import UNLISTED_KINDS
from reknit.core.issues.model import Counts
from reknit.core.planning.exploration.tooling import detect_ci
from reknit.core.repository.remote_url import parse_remote
from reknit.core.runs.view import RunView
from reknit.core.testing.command import TestCommand
from reknit.store.database import is_sqlite, sqlite_path


@dataclass(frozen=True)
class RepositoryOverview:
    """The state of a repository that `reknit` shows without a command."""

    name: str
    head: str
    agents: dict[str, AgentFacts]
    tests: tuple[TestCommand, ...]
    """Test command of each project."""
    ci: str
    uncommitted: tuple[str, ...]
    last_runs: tuple[RunView, ...]
    issues: Counts
    absent: int | None
    """Number of open issues that no tool reports any more; None if there are too many to count."""
    config: Config
    on_forge: bool
    """True if the branch tracks one on a forge, so that it may have a pull request."""
    waiting_fix: RunView | None
    """The last run whose fix of this commit waits on its branch."""


def look_around(installation: Installation, folder: Path) -> RepositoryOverview:
    """Collect the overview of the repository of this folder."""
    repository = UserRepository.find(str(folder))
    config = load(Path(repository.root), {}, installation.environment)
    tracked, upstream = repository.tracked(), repository.upstream()[0]
    last_runs, issues, absent = _read_store(installation, repository)
    return RepositoryOverview(
        name=Path(repository.root).name,
        head=repository.head(),
        agents=read_agent_facts(installation, config),
        tests=list_projects(installation, repository, config),
        ci=detect_ci(tracked),
        uncommitted=list_uncommitted(repository),
        last_runs=last_runs,
        issues=issues,
        absent=absent,
        config=config,
        waiting_fix=_find_waiting_fix(repository, last_runs),
        on_forge=parse_remote(dict(repository.remotes()).get(upstream, upstream)) is not None,
    )


def _find_waiting_fix(repository: UserRepository, runs: Sequence[RunView]) -> RunView | None:
    head, fixed = repository.head(), [run for run in runs if run.ending == "FIXED" and run.commit and not run.undone_at]
    return next((run for run in fixed if run.base == head and repository.has_branch(f"reknit/{run.id}")), None)


def _read_store(
    installation: Installation, repository: UserRepository
) -> tuple[tuple[RunView, ...], Counts, int | None]:
    """Return the last runs, issue counts, and the number of absent open issues. Never creates a database."""
    if is_sqlite(installation.database) and not sqlite_path(installation.database).exists():
        return (), {}, 0
    key, ledger, reader = open_issues(installation, repository)
    try:
        issues = ledger.counts(key)
        absent = count_absent(ledger, key, ("OPEN",)) if issues.get("OPEN") else 0
        last = reader.runs(repository=repository.root, limit=3, but_kinds=UNLISTED_KINDS)
        runs = mark_orphaned(installation, reader, last)
        return tuple(runs), issues, absent
    finally:
        reader.engine.dispose()
