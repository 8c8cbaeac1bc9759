"""Forge-neutral values: pull requests, checks, remarks, webhook events and open work."""

from dataclasses import dataclass, field
from typing import Literal

CiState = Literal["pending", "pass", "fail", "skipped", "cancelled"]

TRUSTED = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
"""GitHub's terms for authors whose code a repository already trusts."""


@dataclass(frozen=True)
class ForgePlace:
    """One repository on a forge. It is stored with the run, so it contains no secret."""

    kind: str
    """The adapter: github."""
    api: str
    """`https://api.github.com`, or an enterprise server's."""
    slug: str
    """`owner/name`."""
    token_env: str = ""
    """Name of the environment variable that holds the token; empty: found as `gh` would."""


@dataclass(frozen=True)
class Actor:
    """The login that reknit uses on the forge."""

    login: str
    is_app: bool = False


@dataclass(frozen=True)
class Pull:
    """A pull request."""

    number: int
    url: str
    title: str
    state: Literal["open", "closed", "merged"]
    author: str
    association: str
    """The author's relation to the repository, in GitHub's terms: OWNER, MEMBER, CONTRIBUTOR, NONE …"""
    head_ref: str
    head_sha: str
    head_slug: str
    """Empty: the branch's repository is gone."""
    head_url: str
    """Git URL of that repository; empty: it is gone."""
    base_ref: str
    base_sha: str
    base_url: str
    mergeable: bool | None
    """None: the forge does not know yet."""
    labels: tuple[str, ...] = ()
    draft: bool = False
    edits_allowed: bool = False
    """The fork's owner also lets those who may push to the base push to this branch."""


@dataclass(frozen=True)
class CiCheck:
    """A check run or a commit status, in common terms."""

    name: str
    state: CiState
    word: str
    """The forge's own word for it: `timed_out`, `startup_failure`, `action_required` …"""
    url: str = ""
    id: int = 0
    """0: a commit status, which has no id to query."""
    is_job: bool = False
    """A job that has a log and can be re-run."""
    summary: str = ""
    """The check's own summary, truncated."""


@dataclass(frozen=True)
class Remark:
    """An unresolved remark on the pull request: an open thread or a review that requests changes."""

    id: str
    kind: Literal["thread", "review"]
    author: str
    is_bot: bool
    association: str
    text: str
    file: str = ""
    line: int = 0
    """0: not on a line of the current file."""
    url: str = ""


@dataclass(frozen=True)
class Annotation:
    """A remark of a check run on one line of a file."""

    file: str
    line: int
    title: str
    text: str


@dataclass(frozen=True)
class CheckReport:
    """The content of reknit's own check run on a commit."""

    name: str
    key: str
    """One check run per key and commit; writing it again updates it in place."""
    conclusion: Literal["", "success", "failure", "action_required", "cancelled"]
    """Empty: still in progress. Never `neutral`, which GitHub counts as passing."""
    title: str
    summary: str
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True)
class Remote:
    """The HTTP address of a repository, and the header that authorizes git there."""

    url: str
    header: str = field(default="", repr=False)


@dataclass(frozen=True)
class PushAnswer:
    """The forge's answer to a push."""

    word: Literal["done", "moved", "barred", "login", "forbidden", "missing", "unreachable"]
    """`moved`: the branch is not where it was expected. `barred`: a rule of the repository refused the push.

    The last four are kinds of `ForgeFailure`; a forge that rate limits pushes counts as `unreachable`.
    """
    detail: str = ""


@dataclass(frozen=True)
class ForgeFailure:
    """Why the forge did not do it. `limited` and `unreachable` pass on their own; the others need a person."""

    kind: Literal["limited", "unreachable", "login", "forbidden", "missing"]
    detail: str = ""
    until: float | None = None
    """Seconds since 1970; None: the forge gave no time."""


class ForgeError(Exception):
    """A failure of the forge, as an exception for code that cannot return it."""

    def __init__(self, failure: ForgeFailure) -> None:
        super().__init__(f"{failure.kind}: {failure.detail}")
        self.failure = failure


@dataclass(frozen=True)
class WebhookEvent:
    """A webhook event: a reason to poll, never trusted itself."""

    delivery: str
    """The forge's id of the delivery; the same one may arrive twice."""
    slug: str
    """`owner/name`; empty: it concerns no single repository, like the `ping` and `installation` of an App."""
    sha: str = ""
    """Empty: it names no commit."""
    number: int = 0
    """0: it names no pull request."""
    home: str = ""
    """Web address of the repository; empty: the event has none."""
    merged_from: str = ""
    """If it says that the pull request was merged: the repository that has, or had, its branch."""


UNNAMED_CHECK = "a check whose name could not be read"
"""Stands for a check that is red by the forge's summary, but that cannot be listed or was too much to read."""


@dataclass(frozen=True)
class OpenPull:
    """An open pull request, as far as a plan needs it."""

    number: int
    title: str
    branch: str
    draft: bool
    merge_state: str
    """In the forge's own words, in lower case: clean, dirty, blocked, behind, unstable, unknown …"""
    red_checks: tuple[str, ...] = ()
    """Names of the failed checks of its head, sorted."""
    files: int = 0
    lines: int = 0
    """Added and removed."""
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class OpenIssue:
    """An open issue, as far as a plan needs it."""

    number: int
    title: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class OpenWork:
    """The open pull requests and issues, both by number."""

    pulls: tuple[OpenPull, ...] = ()
    issues: tuple[OpenIssue, ...] = ()
    unlisted_count: int = 0
    """Number of further open pull requests and issues."""
