"""The fields of GitHub's REST answers that reknit reads. GitHub may add fields, and omit optional ones."""

from datetime import datetime
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from reknit.core.forge.values import ForgeError, ForgeFailure

T = TypeVar("T")

ACTIONS = "github-actions"
"""App that creates the check runs of jobs."""


def parse_answer(kind: type[T], body: bytes, request: str) -> T:
    """Parse an answer. Raise `ForgeError` if it does not fit, such as the page of a proxy or truncated text."""
    try:
        return TypeAdapter(kind).validate_json(body)
    except ValidationError as problem:
        field = ".".join(str(part) for part in problem.errors(include_input=False, include_url=False)[0]["loc"])
        raise ForgeError(ForgeFailure("unreachable", f"{request}: unreadable answer, at {field!r}")) from None


class GitHubModel(BaseModel):
    """Base class of all answers and their parts; it ignores unknown fields."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class TokenPermissions(GitHubModel):
    """Permissions that an installation token has."""

    contents: str = ""


class InstallationToken(GitHubModel):
    """Short-lived token of an App installation."""

    token: str = Field(repr=False)
    expires_at: datetime
    permissions: TokenPermissions = TokenPermissions()


class User(GitHubModel):
    """Account on GitHub."""

    login: str


class SideRepository(GitHubModel):
    """Repository of one side of a pull request."""

    full_name: str
    clone_url: str


class Side(GitHubModel):
    """Head or base of a pull request."""

    ref: str
    sha: str
    repo: SideRepository | None = None
    """None if the fork was deleted."""


class Label(GitHubModel):
    """Label of a pull request."""

    name: str


class PullData(GitHubModel):
    """Pull request; lists leave out some fields."""

    number: int
    html_url: str
    title: str
    state: str
    merged: bool = False
    merged_at: str | None = None
    """Time of the merge. Lists have this field but not `merged`."""
    user: User | None = None
    author_association: str = "NONE"
    head: Side
    base: Side
    mergeable: bool | None = None
    labels: tuple[Label, ...] = ()
    draft: bool | None = False
    maintainer_can_modify: bool | None = False


class Permissions(GitHubModel):
    """Permissions of the identity in a repository."""

    push: bool = False


class LoginToken(GitHubModel):
    """Token of a person who logs in; empty if the forge refused the code."""

    access_token: str = Field(default="", repr=False)


class RepositoryName(GitHubModel):
    """Repository of which only the name is read."""

    full_name: str


class RepositoryData(GitHubModel):
    """Repository with its place in the fork network."""

    full_name: str = ""
    archived: bool = False
    parent: RepositoryName | None = None
    """None if it is not a fork."""
    source: RepositoryName | None = None
    """Root of the fork network."""
    permissions: Permissions = Permissions()


class App(GitHubModel):
    """App that created a check run."""

    slug: str | None = None
    name: str | None = None


class CreatedByApp(GitHubModel):
    """Object that an App created."""

    app: App | None = None

    @property
    def writer(self) -> str:
        return (self.app.slug if self.app else "") or "unknown"


class Output(GitHubModel):
    """Text that a check run shows."""

    title: str | None = None
    summary: str | None = None
    annotations_count: int = 0


class SuiteLink(GitHubModel):
    """Link from a check run to its suite."""

    id: int


class CheckRun(CreatedByApp):
    """Check run of a commit."""

    id: int
    name: str
    head_sha: str
    status: str
    conclusion: str | None = None
    external_id: str | None = None
    html_url: str | None = None
    details_url: str | None = None
    check_suite: SuiteLink | None = None
    output: Output = Output()


class CheckRuns(GitHubModel):
    """One page of check runs."""

    check_runs: tuple[CheckRun, ...]


class WebPage(GitHubModel):
    """Object with a page for people."""

    html_url: str


class CheckSuite(CreatedByApp):
    """Check suite of a commit: the check runs of one App."""

    id: int
    head_sha: str
    status: str | None = None
    repository: WebPage | None = None


class CheckSuites(GitHubModel):
    """One page of check suites."""

    check_suites: tuple[CheckSuite, ...]


class Status(GitHubModel):
    """Commit status."""

    context: str
    state: str
    target_url: str | None = None
    description: str | None = None


class Statuses(GitHubModel):
    """One page of commit statuses."""

    statuses: tuple[Status, ...]


class Comment(GitHubModel):
    """Comment on an issue or pull request."""

    id: int
    html_url: str
    body: str | None = None
    user: User | None = None


class RequiredCheck(GitHubModel):
    """Status check that a rule requires."""

    context: str


class RequiredChecks(GitHubModel):
    """Status checks that a branch requires."""

    contexts: tuple[str, ...] = ()
    required_status_checks: tuple[RequiredCheck, ...] = ()


class Protection(GitHubModel):
    """Protection of a branch."""

    required_status_checks: RequiredChecks | None = None


class BranchData(GitHubModel):
    """Branch with its protection."""

    protection: Protection | None = None


class BranchRule(GitHubModel):
    """Rule of a ruleset that applies to a branch."""

    type: str
    parameters: RequiredChecks | None = None


class AlertRule(GitHubModel):
    """Rule that raised an alert."""

    id: str | None = None
    name: str | None = None
    description: str | None = None
    severity: str | None = None
    security_severity_level: str | None = None


class AlertTool(GitHubModel):
    """Tool that raised an alert."""

    name: str | None = None


class AlertText(GitHubModel):
    """Message of an alert."""

    text: str | None = None


class AlertPlace(GitHubModel):
    """Place of an alert in a file."""

    path: str | None = None
    start_line: int | None = None
    start_column: int | None = None


class AlertInstance(GitHubModel):
    """Newest occurrence of an alert."""

    message: AlertText | None = None
    location: AlertPlace | None = None


class Alert(GitHubModel):
    """Code-scanning alert."""

    number: int
    html_url: str
    rule: AlertRule
    tool: AlertTool
    most_recent_instance: AlertInstance | None = None
