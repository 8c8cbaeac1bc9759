"""Issues: findings that are stored, each with a status in a lifecycle."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from reknit.core.finding import Weight
from reknit.core.issues.lifecycle import BaselineState, Status
from reknit.core.repository.file_kinds import DeveloperKind

UNESTIMATED_EFFORT, UNESTIMATED_FILES = 3, 1


class ReportResult(msgspec.Struct, frozen=True, gc=False):
    """One result, exactly as in a tool's report. It has no cycles, and there may be a million."""

    tool: str
    rule: str
    path: str
    """Path in the report: absolute, a `file:` URL, or relative to some folder. Empty: no file."""
    line: int = 0
    """Line, counted from 1; 0: the whole file."""
    column: int = 0
    """Column, counted from 1; 0: unknown."""
    message: str = ""
    weight: Weight = "important"
    suggestion: str = ""
    effort_1_5: int = 0
    """Estimated effort from 1 to 5; 0: not estimated."""
    files: int = 0
    """Estimated number of files that a fix has to change; 0: not estimated."""
    snippet: str = ""
    """Text of the line, if the report includes it."""
    fingerprint: str = ""
    """The tool's own fingerprint, if it has one."""
    url: str = ""
    fixable: bool = False
    """True if the tool offers a fix that it calls safe."""


class LocatedResult(msgspec.Struct, frozen=True, gc=False):
    """A result located in the repository: its path from the root, and what its lines look like."""

    result: ReportResult
    path: str
    concept: str
    """The rule's name shared by all tools, so that one problem reported by two tools is one issue."""
    context_digests: bytes
    """Digests of the text after its location and of the text before it, 16 bytes each."""
    line_digest: bytes
    """Digest of the line alone: 16 bytes, or 15 if the line is too short to be distinctive."""
    message_digests: bytes
    """Digest of the message without its variable parts, 16 bytes, then of the whole message, 8 bytes."""


class KnownIssue(msgspec.Struct, frozen=True, gc=False):
    """The fields of an issue by which new results are matched with it."""

    id: int
    path: str
    concept: str
    line: int
    context_digests: bytes
    line_digest: bytes
    message_digests: bytes
    tools: tuple[str, ...]
    status: Status
    fingerprint: str


class NewIssue(msgspec.Struct, frozen=True, gc=False):
    """A result that no known issue matches."""

    result: LocatedResult
    fingerprint: str
    """Permanent name of 32 hexadecimal digits: moved lines, edited text and renames do not change it."""
    other_results: tuple[LocatedResult, ...] = ()
    """Results of other tools in the same report for the same problem."""


class IssueSighting(msgspec.Struct, frozen=True, gc=False):
    """A known issue that a new report contains."""

    id: int
    result: LocatedResult
    """Its current location and text."""


@dataclass(frozen=True)
class IssueSource:
    """The report of an issue by one tool."""

    tool: str
    rule: str
    message: str
    url: str = ""


@dataclass(frozen=True)
class Issue:
    """An issue as read from the store."""

    id: int
    repository: str
    """`host/owner/name` on its forge, or the path of a repository that is on none."""
    fingerprint: str
    status: Status
    path: str
    line: int
    column: int
    rule: str
    """Rule of the first tool that reported it."""
    message: str
    weight: Weight
    sources: tuple[IssueSource, ...]
    baseline: BaselineState
    suggestion: str = ""
    effort_1_5: int = 0
    files: int = 0
    duplicate_of: int = 0
    run_id: str = ""
    """The last run that worked on it."""
    commit: str = ""
    """The commit that resolved it."""
    pull: str = ""
    """URL of the pull request that merged the commit."""
    created_at: float = 0.0
    changed_at: float = 0.0
    label: str = ""
    """Id of a reviewer's finding, `SEC-001`; empty: no reviewer found it."""

    @property
    def name(self) -> str:
        return f"I-{self.id}"

    @property
    def workload(self) -> int:
        return (self.effort_1_5 or UNESTIMATED_EFFORT) * (self.files or UNESTIMATED_FILES)

    @property
    def tools(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(source.tool for source in self.sources))


@dataclass(frozen=True)
class ChangeNote:
    """Author, reason, time, run and commit of a change of status."""

    author: str
    why: str
    at: float
    run_id: str = ""
    commit: str = ""


@dataclass(frozen=True)
class IssueChange:
    """One entry in an issue's history."""

    issue: int
    old: Status | None
    """None: it was created."""
    new: Status
    note: ChangeNote


@dataclass(frozen=True)
class IssueFilter:
    """Filter of `list`, `export` and `fix issues`; empty fields select all."""

    statuses: tuple[Status, ...] = ()
    tools: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    """Rules of any tool that reported the issue, not just the first."""
    paths: tuple[str, ...] = ()
    """Files, folders, or globs with `*`."""
    weights: tuple[Weight, ...] = ()
    kinds: tuple[DeveloperKind, ...] = ()
    baselines: tuple[BaselineState, ...] = ()
    run_id: str = ""


@dataclass(frozen=True)
class IssuePage:
    """One page of a list of issues."""

    issues: tuple[Issue, ...]
    after: int = 0
    """Id after which to continue; 0: there are no more."""


Counts = Mapping[Status, int]
