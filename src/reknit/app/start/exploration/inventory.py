"""What could do the work in a repository: agents, box, tests, CI, reviewers, MCP servers, and the issues that wait."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from reknit.adapters.files.first_bytes import first_bytes
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config
from reknit.app.installation import Installation
from reknit.app.issues.ledger import open_issues
from reknit.app.makers import sound_box
from reknit.app.start.exploration.parts import Parts
from reknit.app.start.instructions.reviewer_files import reviewers
from reknit.app.start.projects import every_project
from reknit.app.start.signed_in_agents import every_agent
from reknit.core.errors import ReknitError
from reknit.core.issues.model import IssueFilter
from reknit.core.planning.context import InstalledAgent, Inventory
from reknit.core.planning.exploration.agent_files import agent_files_among
from reknit.core.planning.exploration.ci import ci_of
from reknit.core.planning.exploration.mcp_names import FILES, server_names
from reknit.core.testing.command import TestCommand
from reknit.core.testing.command_line import as_typed
from reknit.core.text.format import words
from reknit.store.database import is_sqlite, sqlite_path

MOST_TESTS = 100
MOST_COUNTED = 5_000
_SETTINGS_BYTES = 256 * 1024


def take_inventory(
    place: Installation, repository: UserRepository, config: Config, near: Sequence[str], parts: Parts
) -> Inventory:
    """`near`: the tracked files at the top of the repository."""
    root = Path(repository.root)
    no_tests: tuple[TestCommand, ...] = ()
    tests = parts.look("tests", lambda: every_project(place, repository, config), no_tests)
    return Inventory(
        agents=parts.look("agents", lambda: _agents(place, config), ()),
        box=_box(config.box, parts),
        tests=tuple(words(as_typed(each)) for each in tests[:MOST_TESTS]),
        ci=ci_of(near),
        reviewers=parts.look("reviewers", lambda: tuple(each.name for each in reviewers(root, place.environment)), ()),
        agent_files=agent_files_among(near),
        mcp_servers=_servers(repository.root, near, parts),
        issues=parts.look("issues", lambda: _issues(place, repository, parts), ()),
    )


def _agents(place: Installation, config: Config) -> tuple[InstalledAgent, ...]:
    facts = every_agent(place, config)
    return tuple(
        InstalledAgent(name, each.version or "unknown", each.login) if each.found else InstalledAgent(name, "")
        for name, each in facts.items()
    )


def _box(name: str, parts: Parts) -> str:
    try:
        sound_box(name)
    except ReknitError as problem:
        return f"{name} cannot be used: {parts.shown(problem.what)}"
    return "host, which is not a sandbox" if name == "host" else name


def _servers(root: str, near: Sequence[str], parts: Parts) -> tuple[str, ...]:
    begun = first_bytes(root, [path for path in FILES if path in near], _SETTINGS_BYTES + 1)
    names: set[str] = set()
    for path, raw in begun.items():
        if isinstance(raw, str):
            parts.report(path, raw)
        elif len(raw) > _SETTINGS_BYTES:
            parts.report(path, f"it is larger than {_SETTINGS_BYTES // 1024} KB")
        elif (found := server_names(path, raw.decode("utf-8", "replace"))) is None:
            parts.report(path, "its MCP servers cannot be read")
        else:
            names.update(found)
    return tuple(sorted(names))


def _issues(place: Installation, repository: UserRepository, parts: Parts) -> tuple[tuple[int, int], ...]:
    """Open issues with an estimate, by points. Never creates a database."""
    if is_sqlite(place.database) and not sqlite_path(place.database).exists():
        return ()
    key, ledger, reader = open_issues(place, repository)
    try:
        if ledger.counts(key).get("OPEN", 0) > MOST_COUNTED:
            parts.report("issues", f"only the oldest {MOST_COUNTED:,} open issues are counted")
        first = islice(ledger.each(key, IssueFilter(statuses=("OPEN",))), MOST_COUNTED)
        return tuple(sorted(Counter(issue.workload for issue in first if issue.effort_1_5).items()))
    finally:
        reader.engine.dispose()
