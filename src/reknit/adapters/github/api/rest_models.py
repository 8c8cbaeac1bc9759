"""The few fields of GitHub's answers that reknit reads. GitHub may add any field, and omit optional ones."""

from datetime import datetime
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from reknit.core.forge.values import ForgeError, ForgeFailure

T = TypeVar("T")

ACTIONS = "github-actions"
"""App that creates the check runs of jobs."""


def parse_answer(kind: type[T], body: bytes, request: str) -> T:
    """Parse an answer. Raise `ForgeError` if it is not GitHub's: a proxy's page, truncated text."""
    try:
        return TypeAdapter(kind).validate_json(body)
    except ValidationError as problem:
        field = ".".join(str(part) for part in problem.errors(include_input=False, include_url=False)[0]["loc"])
        raise ForgeError(ForgeFailure("unreachable", f"{request}: unreadable answer, at {field!r}")) from None


class Read(BaseModel):
    """Base of all answers: unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Granted(Read):
    """Permissions that an installation token has."""

    contents: str = ""


class InstallationToken(Read):
    """Short-lived token of an App installation."""

    token: str = Field(repr=False)
    expires_at: datetime
    permissions: Granted = Granted()


class User(Read):
    """Account on GitHub."""

    login: str


class HomeOf(Read):
    """Repository of one side of a pull request."""

    full_name: str
    clone_url: str


class Side(Read):
    """Head or base of a pull request."""

    ref: str
    sha: str
    repo: HomeOf | None = None
    """None if the fork was deleted."""


class Label(Read):
    """Label of a pull request."""

    name: str


class PullRead(Read):
    """Pull request; lists leave out some fields."""

    number: int
    html_url: str
    title: str
    state: str
    merged: bool = False
    merged_at: str | None = None
    """Time of the merge: in lists, the only field that shows one."""
    user: User | None = None
    author_association: str = "NONE"
    head: Side
    base: Side
    mergeable: bool | None = None
    labels: tuple[Label, ...] = ()
    draft: bool | None = False
    maintainer_can_modify: bool | None = False


class Rights(Read):
    """Permissions of the identity in a repository."""

    push: bool = False


class Named(Read):
    """Repository of which only the name is read."""

    full_name: str


class RepositoryRead(Read):
    """Repository with its place in the fork network."""

    full_name: str = ""
    archived: bool = False
    parent: Named | None = None
    """None if it is not a fork."""
    source: Named | None = None
    """Root of the fork network."""
    permissions: Rights = Rights()


class Writer(Read):
    """App that created a check run."""

    slug: str | None = None
    name: str | None = None


class WrittenByApp(Read):
    """Object that an App created."""

    app: Writer | None = None

    @property
    def writer(self) -> str:
        return (self.app.slug if self.app else "") or "unknown"


class Output(Read):
    """Text that a check run shows."""

    title: str | None = None
    summary: str | None = None
    annotations_count: int = 0


class SuiteOf(Read):
    """Link from a check run to its suite."""

    id: int


class CheckRun(WrittenByApp):
    """Check run of a commit."""

    id: int
    name: str
    head_sha: str
    status: str
    conclusion: str | None = None
    external_id: str | None = None
    html_url: str | None = None
    details_url: str | None = None
    check_suite: SuiteOf | None = None
    output: Output = Output()


class CheckRuns(Read):
    """One page of check runs."""

    check_runs: tuple[CheckRun, ...]


class Shown(Read):
    """Object with a page for people."""

    html_url: str


class CheckSuite(WrittenByApp):
    """Check suite of a commit: the check runs of one App."""

    id: int
    head_sha: str
    status: str | None = None
    repository: Shown | None = None


class CheckSuites(Read):
    """One page of check suites."""

    check_suites: tuple[CheckSuite, ...]


class Status(Read):
    """Commit status."""

    context: str
    state: str
    target_url: str | None = None
    description: str | None = None


class Statuses(Read):
    """One page of commit statuses."""

    statuses: tuple[Status, ...]


class Comment(Read):
    """Comment on an issue or pull request."""

    id: int
    html_url: str
    body: str | None = None
    user: User | None = None


class Demanded(Read):
    """Status check that a rule requires."""

    context: str


class Demands(Read):
    """Status checks that a branch requires."""

    contexts: tuple[str, ...] = ()
    required_status_checks: tuple[Demanded, ...] = ()


class Protection(Read):
    """Protection of a branch."""

    required_status_checks: Demands | None = None


class BranchRead(Read):
    """Branch with its protection."""

    protection: Protection | None = None


class BranchRule(Read):
    """Rule of a ruleset that applies to a branch."""

    type: str
    parameters: Demands | None = None


class AlertRule(Read):
    """Rule that raised an alert."""

    id: str | None = None
    name: str | None = None
    description: str | None = None
    severity: str | None = None
    security_severity_level: str | None = None


class AlertTool(Read):
    """Tool that raised an alert."""

    name: str | None = None


class AlertText(Read):
    """Message of an alert."""

    text: str | None = None


class AlertPlace(Read):
    """Place of an alert in a file."""

    path: str | None = None
    start_line: int | None = None
    start_column: int | None = None


class AlertSeen(Read):
    """Newest occurrence of an alert."""

    message: AlertText | None = None
    location: AlertPlace | None = None


class Alert(Read):
    """Code-scanning alert."""

    number: int
    html_url: str
    rule: AlertRule
    tool: AlertTool
    most_recent_instance: AlertSeen | None = None
