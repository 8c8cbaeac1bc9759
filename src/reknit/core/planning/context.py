"""Describes a repository before a plan is made. The same commit and date give the same value."""

from dataclasses import dataclass

from reknit.core.forge.values import OpenIssue, OpenPull

AI_WELCOME = "ai-welcome"
"""The label that offers an issue to agents."""
Frontmatter = tuple[tuple[str, str], ...]
"""(name, value), in the order of the file."""


@dataclass(frozen=True)
class CommitLine:
    """One commit of the recent history."""

    id: str
    """Short."""
    subject: str
    author: str
    date: str
    """`2026-11-17`, in UTC."""


@dataclass(frozen=True)
class Doc:
    """A document with the fields of its frontmatter."""

    path: str
    frontmatter: Frontmatter = ()
    problem: str = ""
    """Why its frontmatter could not be read; empty: it could, or there is none."""


@dataclass(frozen=True)
class InstalledAgent:
    """An agent's command line tool on this machine."""

    name: str
    version: str
    """Empty: it is not installed."""
    login: bool = False


@dataclass(frozen=True)
class Inventory:
    """The agents, tests and tools that could do the work in this repository."""

    agents: tuple[InstalledAgent, ...] = ()
    box: str = ""
    """The box that agents run in, or why there is none."""
    tests: tuple[str, ...] = ()
    """One command per project, as a person would type it."""
    ci: str = ""
    reviewers: tuple[str, ...] = ()
    agent_files: tuple[str, ...] = ()
    """Files with instructions for agents: AGENTS.md, CLAUDE.md …"""
    mcp_servers: tuple[str, ...] = ()
    issues: tuple[tuple[int, int], ...] = ()
    """The ledger's open issues with an estimate: (points, how many), by points."""


@dataclass(frozen=True)
class RepoContext:
    """Everything that the exploration found; plans and scores are made from it."""

    as_of: str
    """`2026-11-17`: today, for everything that is called old."""
    branch: str
    """Empty: none is checked out."""
    default_branch: str
    """Empty: origin does not say."""
    default_branch_problem: str = ""
    """Why it is not known."""
    commits: tuple[CommitLine, ...] = ()
    """The last 50, newest first."""
    changed: tuple[str, ...] = ()
    """Files that are new or differ from the last commit."""
    has_status: bool = True
    """False: git did not say what has changed."""
    branch_files: int = 0
    branch_lines: int = 0
    """Lines that the branch changes, compared with the default branch."""
    docs: tuple[Doc, ...] = ()
    omitted_docs: int = 0
    """Documents beyond those."""
    docs_stale: tuple[str, ...] = ()
    docs_missing: tuple[str, ...] = ()
    state_age_days: int | None = None
    """Days since STATE.md was updated; None: there is none, or it has no date."""
    plans_index: bool = False
    plans_index_frontmatter: Frontmatter = ()
    plans: tuple[str, ...] = ()
    """Files that the index of the plans refers to."""
    has_forge_login: bool = False
    forge_problem: str = ""
    """Why the forge was not read; empty: it was, or the repository is not on one."""
    pulls: tuple[OpenPull, ...] = ()
    issues: tuple[OpenIssue, ...] = ()
    omitted_work: int = 0
    """Open pull requests and issues beyond those."""
    inventory: Inventory = Inventory()
    languages: tuple[tuple[str, int], ...] = ()
    """(extension, number of tracked files), by extension."""
    governance_missing: tuple[str, ...] = ()
    is_configured: bool = False
    """The repository has a reknit.toml."""
    problems: tuple[str, ...] = ()
    """Parts that could not be explored, each with the reason; they are empty."""

    @property
    def on_default_branch(self) -> bool:
        return bool(self.branch) and self.branch == self.default_branch

    @property
    def welcoming_issues(self) -> tuple[OpenIssue, ...]:
        return tuple(issue for issue in self.issues if AI_WELCOME in map(str.casefold, issue.labels))
