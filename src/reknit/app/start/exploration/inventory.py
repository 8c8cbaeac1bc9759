"""Explores what can do work in a repository: agents, box, tests, CI, reviewers, MCP servers, files, open issues."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from reknit.adapters.files.regular_files import read_first_bytes
from reknit.adapters.git.review_range import tracked_files
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import Config
from reknit.app.installation import Installation
from reknit.app.issues.ledger import open_issues
from reknit.app.makers import make_sound_box
from reknit.app.start.agents import read_agent_facts
from reknit.app.start.instructions.judges import read_reviewers
from reknit.app.start.projects import list_projects
from reknit.core.errors import ReknitError
from reknit.core.issues.model import IssueFilter
from reknit.core.planning.context import Doc, InstalledAgent, Inventory
from reknit.core.planning.exploration.docs import FIRST_BYTES, MAX_DOCS, read_doc, select_documents
from reknit.core.planning.exploration.expected_files import DOCUMENTS, GOVERNANCE, find_missing, select_expected
from reknit.core.planning.exploration.git_output import Listing
from reknit.core.planning.exploration.tooling import FILES, detect_ci, parse_server_names, select_agent_files
from reknit.core.testing.command import TestCommand, to_command_line
from reknit.core.text.format import sanitize_line
from reknit.store.database import is_sqlite, sqlite_path

T = TypeVar("T")


class PartExplorer:
    """Explores one part after the other. A part that fails is empty, and its reason is kept."""

    def __init__(self, installation: Installation, root: str) -> None:
        folders = {
            installation.environment.get("HOME", ""): "~",
            str(installation.state): "the state folder",
            root: ".",
        }
        by_length = sorted(folders.items(), key=lambda pair: -len(pair[0]))
        self._hidden = [(folder, name) for folder, name in by_length if len(folder) > 1]
        self.problems: list[str] = []

    def look(self, part: str, call: Callable[[], T], otherwise: T) -> T:
        try:
            return call()
        except (ReknitError, OSError) as problem:
            self.report(part, _format_reason(problem))
            return otherwise

    def report(self, part: str, reason: str) -> None:
        self.problems.append(f"{part}: {self.hide_paths(reason)}")

    def hide_paths(self, text: str) -> str:
        """Replace the folders of this machine, so that they are not shown."""
        for folder, name in self._hidden:
            text = text.replace(folder, name)
        return sanitize_line(text)


def _format_reason(problem: ReknitError | OSError) -> str:
    if isinstance(problem, OSError):
        return problem.strerror or "it cannot be read"
    return f"{problem.where}: {problem.message}" if problem.where else problem.message


MAX_TEST_COMMANDS = 100
MAX_COUNTED_ISSUES = 5_000
_SETTINGS_BYTES = 256 * 1024


def take_inventory(
    installation: Installation, repository: UserRepository, config: Config, near: Sequence[str], parts: PartExplorer
) -> Inventory:
    """Take the inventory. `near`: the tracked files at the top of the repository."""
    root = Path(repository.root)
    no_tests: tuple[TestCommand, ...] = ()
    tests = parts.look("tests", lambda: list_projects(installation, repository, config), no_tests)
    return Inventory(
        agents=parts.look("agents", lambda: _list_agents(installation, config), ()),
        box=_describe_box(config.box, parts),
        tests=tuple(sanitize_line(to_command_line(test)) for test in tests[:MAX_TEST_COMMANDS]),
        ci=detect_ci(near),
        reviewers=parts.look(
            "reviewers", lambda: tuple(reviewer.name for reviewer in read_reviewers(root, installation.environment)), ()
        ),
        agent_files=select_agent_files(near),
        mcp_servers=_list_servers(repository.root, near, parts),
        issues=parts.look("issues", lambda: _count_issues(installation, repository, parts), ()),
    )


def _list_agents(installation: Installation, config: Config) -> tuple[InstalledAgent, ...]:
    facts = read_agent_facts(installation, config)
    return tuple(
        InstalledAgent(name, agent.version or "unknown", agent.login)
        if agent.is_installed
        else InstalledAgent(name, "")
        for name, agent in facts.items()
    )


def _describe_box(name: str, parts: PartExplorer) -> str:
    try:
        make_sound_box(name)
    except ReknitError as problem:
        return f"{name} cannot be used: {parts.hide_paths(problem.message)}"
    return "host, which is not a sandbox" if name == "host" else name


def _list_servers(root: str, near: Sequence[str], parts: PartExplorer) -> tuple[str, ...]:
    first_bytes_by_path = read_first_bytes(root, [path for path in FILES if path in near], _SETTINGS_BYTES + 1)
    names: set[str] = set()
    for path, raw in first_bytes_by_path.items():
        if isinstance(raw, str):
            parts.report(path, raw)
        elif len(raw) > _SETTINGS_BYTES:
            parts.report(path, f"it is larger than {_SETTINGS_BYTES // 1024} KB")
        elif (servers := parse_server_names(path, raw.decode("utf-8", "replace"))) is None:
            parts.report(path, "its MCP servers cannot be read")
        else:
            names.update(servers)
    return tuple(sorted(names))


def _count_issues(
    installation: Installation, repository: UserRepository, parts: PartExplorer
) -> tuple[tuple[int, int], ...]:
    """Count open issues with an estimate, by points. Never creates a database."""
    if is_sqlite(installation.database) and not sqlite_path(installation.database).exists():
        return ()
    key, ledger, reader = open_issues(installation, repository)
    try:
        if ledger.counts(key).get("OPEN", 0) > MAX_COUNTED_ISSUES:
            parts.report("issues", f"only the oldest {MAX_COUNTED_ISSUES:,} open issues are counted")
        first = islice(ledger.each(key, IssueFilter(statuses=("OPEN",))), MAX_COUNTED_ISSUES)
        return tuple(sorted(Counter(issue.workload for issue in first if issue.effort_1_5).items()))
    finally:
        reader.engine.dispose()


@dataclass(frozen=True)
class TrackedFiles:
    """Facts from the tracked files: languages, documents, and expected files that are missing."""

    near: tuple[str, ...] = ()
    """Paths at the root and in the folders that exploration reads."""
    languages: tuple[tuple[str, int], ...] = ()
    docs: tuple[Doc, ...] = ()
    unlisted_docs: int = 0
    docs_missing: tuple[str, ...] = ()
    governance_missing: tuple[str, ...] = ()


def explore_tracked_files(root: str) -> TrackedFiles:
    """Explore the tracked files as they are in the working tree. git is asked once."""
    listing = Listing(tracked_files(root))
    near = listing.select_top_paths()
    documents = select_documents(near)
    document_bytes = read_first_bytes(root, documents[:MAX_DOCS], FIRST_BYTES)
    expected = select_expected(near)
    there = {*document_bytes, *read_first_bytes(root, [path for path in expected if path not in document_bytes], 1)}
    expected_there = [path for path in expected if path in there]
    return TrackedFiles(
        near=near,
        languages=listing.count_languages(),
        docs=tuple(read_doc(path, raw) for path, raw in document_bytes.items()),
        unlisted_docs=max(len(documents) - MAX_DOCS, 0),
        docs_missing=find_missing(DOCUMENTS, expected_there),
        governance_missing=find_missing(GOVERNANCE, expected_there),
    )
