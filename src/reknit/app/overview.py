"""Collects what is here: repository, agents, tests, CI, past runs. Calls no model and changes nothing."""

from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config, load
from reknit.app.installation import Installation
from reknit.app.issues.ledger import open_issues
from reknit.app.issues.query import absent_of
from reknit.app.runs.liveness import mark_orphaned
from reknit.app.start.fix_tests import uncommitted
from reknit.app.start.projects import every_project
from reknit.app.start.signed_in_agents import every_agent
from reknit.core.agents.call import AgentFacts
from reknit.core.issues.model import Counts
from reknit.core.planning.exploration.ci import ci_of
from reknit.core.repository.remote_url import place_of
from reknit.core.runs.view import RunView
from reknit.core.testing.command import TestCommand
from reknit.store.database import is_sqlite, sqlite_path


@dataclass(frozen=True)
class RepositoryOverview:
    name: str
    head: str
    branch: str
    agents: dict[str, AgentFacts]
    tests: tuple[TestCommand, ...]
    """One per project."""
    ci: str
    uncommitted: tuple[str, ...]
    last_runs: tuple[RunView, ...]
    issues: Counts
    absent: int | None
    """Open issues that no tool reports any more; None: not counted."""
    config: Config
    on_forge: bool
    """The branch tracks one on a forge, so it may have a pull request."""


def look_around(place: Installation, folder: Path) -> RepositoryOverview:
    repository = UserRepository.find(str(folder))
    config = load(Path(repository.root), {}, place.environment)
    tracked, upstream = repository.tracked(), repository.upstream()[0]
    last_runs, issues, absent = _kept(place, repository)
    return RepositoryOverview(
        name=Path(repository.root).name,
        head=repository.head(),
        branch=repository.branch(),
        agents=every_agent(place, config),
        tests=every_project(place, repository, config),
        ci=ci_of(tracked),
        uncommitted=uncommitted(repository),
        last_runs=last_runs,
        issues=issues,
        absent=absent,
        config=config,
        on_forge=place_of(dict(repository.remotes()).get(upstream, upstream)) is not None,
    )


def _kept(place: Installation, repository: UserRepository) -> tuple[tuple[RunView, ...], Counts, int | None]:
    """Last runs, issue counts, and how many open issues are absent. Never creates a database."""
    if is_sqlite(place.database) and not sqlite_path(place.database).exists():
        return (), {}, 0
    key, ledger, reader = open_issues(place, repository)
    try:
        issues = ledger.counts(key)
        absent = absent_of(ledger, key, ("OPEN",)) if issues.get("OPEN") else 0
        runs = mark_orphaned(place, reader, reader.runs(repository=repository.root, limit=3))
        return tuple(runs), issues, absent
    finally:
        reader.engine.dispose()
