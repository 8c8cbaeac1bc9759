"""The few fields of GitHub's answers that reknit reads. GitHub may add any field, and omit optional ones."""

from datetime import datetime
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from reknit.core.forge.values import ForgeError, ForgeFailure

T = TypeVar("T")

ACTIONS = "github-actions"
"""The App that creates the check runs of jobs."""


def parsed(kind: type[T], body: bytes, what: str) -> T:
    """Raises `ForgeError` for an answer that is not GitHub's: a proxy's page, truncated text."""
    try:
        return TypeAdapter(kind).validate_json(body)
    except ValidationError as problem:
        where = ".".join(str(part) for part in problem.errors(include_input=False, include_url=False)[0]["loc"])
        raise ForgeError(ForgeFailure("unreachable", f"{what}: unreadable answer, at {where!r}")) from None


class Read(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Granted(Read):
    contents: str = ""


class InstallationToken(Read):
    token: str = Field(repr=False)
    expires_at: datetime
    permissions: Granted = Granted()


class User(Read):
    login: str


class HomeOf(Read):
    """The repository of one side of a pull request."""

    full_name: str
    clone_url: str


class Side(Read):
    ref: str
    sha: str
    repo: HomeOf | None = None
    """None: the fork was deleted."""


class Label(Read):
    name: str


class PullRead(Read):
    number: int
    html_url: str
    title: str
    state: str
    merged: bool = False
    merged_at: str | None = None
    """In lists, the only field that shows a merge."""
    user: User | None = None
    author_association: str = "NONE"
    head: Side
    base: Side
    mergeable: bool | None = None
    labels: tuple[Label, ...] = ()
    draft: bool | None = False
    maintainer_can_modify: bool | None = False


class Rights(Read):
    push: bool = False


class Named(Read):
    full_name: str


class RepositoryRead(Read):
    full_name: str = ""
    archived: bool = False
    parent: Named | None = None
    """None: it is not a fork."""
    source: Named | None = None
    """The root of the fork network."""
    permissions: Rights = Rights()


class Writer(Read):
    """The App that created a check run."""

    slug: str | None = None
    name: str | None = None


class WrittenByApp(Read):
    app: Writer | None = None

    @property
    def writer(self) -> str:
        return (self.app.slug if self.app else "") or "unknown"


class Output(Read):
    title: str | None = None
    summary: str | None = None
    annotations_count: int = 0


class SuiteOf(Read):
    id: int


class CheckRun(WrittenByApp):
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
    check_runs: tuple[CheckRun, ...]


class Shown(Read):
    """The page for people."""

    html_url: str


class CheckSuite(WrittenByApp):
    id: int
    head_sha: str
    status: str | None = None
    repository: Shown | None = None


class CheckSuites(Read):
    check_suites: tuple[CheckSuite, ...]


class Status(Read):
    context: str
    state: str
    target_url: str | None = None
    description: str | None = None


class Statuses(Read):
    statuses: tuple[Status, ...]


class Comment(Read):
    id: int
    html_url: str
    body: str | None = None
    user: User | None = None


class Demanded(Read):
    context: str


class Demands(Read):
    contexts: tuple[str, ...] = ()
    required_status_checks: tuple[Demanded, ...] = ()


class Protection(Read):
    required_status_checks: Demands | None = None


class BranchRead(Read):
    protection: Protection | None = None


class BranchRule(Read):
    type: str
    parameters: Demands | None = None


class AlertRule(Read):
    id: str | None = None
    name: str | None = None
    description: str | None = None
    severity: str | None = None
    security_severity_level: str | None = None


class AlertTool(Read):
    name: str | None = None


class AlertText(Read):
    text: str | None = None


class AlertPlace(Read):
    path: str | None = None
    start_line: int | None = None
    start_column: int | None = None


class AlertSeen(Read):
    message: AlertText | None = None
    location: AlertPlace | None = None


class Alert(Read):
    number: int
    html_url: str
    rule: AlertRule
    tool: AlertTool
    most_recent_instance: AlertSeen | None = None
