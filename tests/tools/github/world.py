"""Everything the stand-in remembers: repositories, pull requests, checks, what was said, and who called."""

import itertools
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.tools.github.bare import Bare, MissingError
from tests.tools.github.faults import Faults
from tests.tools.github.issues import Issue
from tests.tools.github.tokens import Person, Tokens
from tests.tools.github.webhooks import Webhooks

Json = dict[str, Any]
_FIRST_SECOND = 1767225600
"""2026-01-01: the hub's clock goes on by a second a look, so that the same test makes the same commits."""


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    status: int
    """0: the connection was closed without an answer."""
    at: float
    token: str
    query: str = ""


@dataclass
class Comment:
    id: int
    author: Person
    association: str
    body: str
    created_at: str
    updated_at: str
    review: int = 0
    """The review that a comment in a thread belongs to."""


@dataclass
class Review:
    id: int
    author: Person
    association: str
    state: str
    body: str
    commit: str
    at: str


@dataclass
class Thread:
    id: int
    file: str
    line: int
    commit: str
    """The head it was left on."""
    comments: list[Comment] = field(default_factory=list)
    resolved_by: Person | None = None


@dataclass
class Check:
    id: int
    name: str
    sha: str
    status: str
    conclusion: str | None
    started_at: str
    app: str
    """The slug of the App that made it; `github-actions` for a job."""
    completed_at: str | None = None
    external_id: str = ""
    details_url: str = ""
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[Json] = field(default_factory=list)
    log: str = ""

    @property
    def is_job(self) -> bool:
        return self.app == "github-actions"


@dataclass(frozen=True)
class Suite:
    """All that one App runs on one commit."""

    app: str
    sha: str
    checks: tuple[Check, ...]
    more_to_come: bool

    @property
    def id(self) -> int:
        return suite_id(self.app, self.sha)

    @property
    def status(self) -> str:
        if not self.checks:
            return "queued"
        is_over = not self.more_to_come and all(check.conclusion for check in self.checks)
        return "completed" if is_over else "in_progress"

    @property
    def conclusion(self) -> str | None:
        if self.status != "completed":
            return None
        red = [check.conclusion for check in self.checks if check.conclusion not in ("success", "neutral", "skipped")]
        return red[0] if red else "success"


@dataclass
class Status:
    id: int
    sha: str
    context: str
    state: str
    description: str
    at: str


@dataclass
class Pull:
    id: int
    number: int
    title: str
    body: str
    author: Person
    association: str
    head_slug: str
    head_ref: str
    base_ref: str
    base_sha: str
    """Where the base was when the head was last pushed."""
    created_at: str
    state: str = "open"
    merged_at: str = ""
    merge_commit: str = ""
    merged_onto: str = ""
    """Where the base was when it was merged."""
    draft: bool = False
    fork_gone: bool = False
    maintainer_can_modify: bool = True
    labels: list[str] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)

    @property
    def ref(self) -> str:
        return f"refs/pull/{self.number}/head"

    @property
    def merged(self) -> bool:
        return bool(self.merged_at)


@dataclass
class Alert:
    """A code-scanning alert of the default branch."""

    number: int
    rule: str
    tool: str
    path: str
    line: int
    column: int
    message: str
    severity: str | None
    security: str | None
    commit: str
    created_at: str
    state: str = "open"
    closed_at: str = ""


@dataclass
class Repository:
    id: int
    slug: str
    bare: Bare
    writers: set[str]
    private: bool = False
    parent: str = ""
    """The repository this one is a fork of."""
    required: dict[str, tuple[str, ...]] = field(default_factory=dict)
    ruled: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Like `required`, demanded by a ruleset."""
    protected: set[str] = field(default_factory=set)
    pulls: dict[int, Pull] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)
    more_to_come: set[tuple[str, str]] = field(default_factory=set)
    """(App, commit) of the suites that will have more runs."""
    statuses: list[Status] = field(default_factory=list)
    alerts: list[Alert] = field(default_factory=list)
    scanning: str = "never ran"
    """Of code scanning: on, or why it tells nothing."""

    @property
    def next_number(self) -> int:
        return len(self.pulls) + len(self.issues) + 1

    def pull(self, number: int) -> Pull:
        if number not in self.pulls:
            raise MissingError(f"{self.slug}#{number}")
        return self.pulls[number]

    def head(self, pull: Pull) -> str:
        return self.bare.tip(pull.ref)

    def open_pulls(self) -> list[Pull]:
        return [pull for pull in self.pulls.values() if pull.state == "open"]

    def check(self, number: int) -> Check:
        for check in self.checks:
            if check.id == number:
                return check
        raise MissingError(f"check run {number}")

    def latest_checks(self, sha: str) -> list[Check]:
        """A re-run replaces the older one of the same App and name."""
        return list({(check.app, check.name): check for check in self.checks if check.sha == sha}.values())

    def suites(self, sha: str) -> list[Suite]:
        latest = self.latest_checks(sha)
        coming = sorted(app for app, commit in self.more_to_come if commit == sha)
        return [
            Suite(app, sha, tuple(check for check in latest if check.app == app), (app, sha) in self.more_to_come)
            for app in dict.fromkeys([*(check.app for check in latest), *coming])
        ]

    def latest_statuses(self, sha: str) -> list[Status]:
        return list({status.context: status for status in self.statuses if status.sha == sha}.values())


Robot = Callable[[str, str, str], None]


@dataclass
class World:
    root: Path
    faults: Faults = field(default_factory=Faults)
    tokens: Tokens = field(default_factory=Tokens)
    url: str = ""
    repositories: dict[str, Repository] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    on_push: Robot | None = None
    on_rerun: Callable[[str, str, str, int], None] | None = None

    def __post_init__(self) -> None:
        self.lock = threading.RLock()
        self.closing = threading.Event()
        self.webhooks = Webhooks(self.faults, self.closing)
        self._ids = itertools.count(1001)
        self._seconds = itertools.count(_FIRST_SECOND)

    def new_id(self) -> int:
        return next(self._ids)

    def second(self) -> int:
        return next(self._seconds)

    def now(self) -> str:
        return stamp(self.second())

    def repository(self, slug: str) -> Repository:
        if slug not in self.repositories:
            raise MissingError(slug)
        return self.repositories[slug]

    def may_push(self, person: Person, repository: Repository) -> bool:
        """An App may where it is installed: everywhere but on other people's forks."""
        if person.is_bot:
            return person.login == self.tokens.app.slug and not repository.parent
        return person.login in repository.writers

    def association(self, person: Person, repository: Repository) -> str:
        if person.login == repository.slug.split("/")[0]:
            return "OWNER"
        return "MEMBER" if not person.is_bot and person.login in repository.writers else "NONE"


def suite_id(app: str, sha: str) -> int:
    return zlib.crc32(f"{app} {sha}".encode())


def stamp(second: float) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
