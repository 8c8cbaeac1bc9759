"""Issues: findings that are stored, each with a status in a lifecycle."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from reknit.core.finding import Weight
from reknit.core.issues.lifecycle import BaselineState, Status
from reknit.core.repository.routing import Kind

UNESTIMATED_EFFORT, UNESTIMATED_FILES = 3, 1
FEW = 3


class ReportResult(msgspec.Struct, frozen=True, gc=False):
    """One result, exactly as in a tool's report. It cannot contain a cycle, and there may be a million."""

    tool: str
    rule: str
    path: str
    """As in the report: absolute, a `file:` URL, or relative to some folder. Empty: no file."""
    line: int = 0
    """1-based; 0: the whole file."""
    column: int = 0
    """1-based; 0: unknown."""
    message: str = ""
    weight: Weight = "important"
    suggestion: str = ""
    effort_1_5: int = 0
    """0: not estimated."""
    files: int = 0
    """How many files a fix has to change; 0: not estimated."""
    snippet: str = ""
    """The text of the line, if the report includes it."""
    given: str = ""
    """The tool's own fingerprint, if it has one."""
    url: str = ""
    fixable: bool = False
    """The tool offers a fix that it calls safe."""


class LocatedResult(msgspec.Struct, frozen=True, gc=False):
    """A result located in the repository: its path from the root, and what its lines look like."""

    found: ReportResult
    path: str
    concept: str
    """The rule's name shared by all tools, so that one problem reported by two tools is one issue."""
    wide: bytes
    """Digests of the text after its location and of the text before it, 16 bytes each."""
    own: bytes
    """Digest of the line alone: 16 bytes, or 15 if the line is too short to be distinctive."""
    said: bytes
    """Digests of the message without what varies between runs, 16 bytes, and of the whole message, 8 bytes."""


class KnownIssue(msgspec.Struct, frozen=True, gc=False):
    """What is needed of an issue to match a new report."""

    id: int
    path: str
    concept: str
    line: int
    wide: bytes
    own: bytes
    said: bytes
    tools: tuple[str, ...]
    status: Status
    fingerprint: str


class NewIssue(msgspec.Struct, frozen=True, gc=False):
    placed: LocatedResult
    fingerprint: str
    """32 hexadecimal digits, permanent: moved lines, edited text and renamed files do not change it."""
    also: tuple[LocatedResult, ...] = ()
    """Results of other tools in the same report for the same problem."""


class IssueSighting(msgspec.Struct, frozen=True, gc=False):
    id: int
    placed: LocatedResult
    """Its current location and text."""


@dataclass(frozen=True)
class ImportSource:
    """Which reports of which tools were imported, and the tree they were made from."""

    tools: tuple[str, ...]
    """Every tool that reported, including those that found nothing."""
    names: tuple[str, ...]
    """The files, or the query sent to a forge."""
    commit: str
    at: float
    who: str
    partial: tuple[str, ...] = ()
    """Tools that did not check everything: what they no longer report may still exist."""
    landed: tuple[str, ...] = ()
    """Run commits in the checked tree: an issue that they resolved and a tool still reports is not resolved."""
    carried: frozenset[tuple[str, str]] = frozenset()
    """(commit, path) of files in the checked tree exactly as that commit made them: it arrived another way."""
    once: bool = False
    """Another import with these names is this one again, after a crash: it changes nothing the second time."""


@dataclass(frozen=True)
class ImportCount:
    number: int
    """Number of the import; it counts up."""
    new: int = 0
    seen: int = 0
    """Already known and unchanged."""
    updated: int = 0
    """Already known; the location or text has changed."""
    again: int = 0
    """Those of them that were RESOLVED or MERGED and have reappeared: now OPEN."""
    unmerged: tuple[int, ...] = ()
    """RESOLVED issues that a tool still reports in a tree without their commit."""


@dataclass(frozen=True)
class AbsentIssues:
    """Unfinished issues that a tool reported before, but no longer in this import."""

    tool: str
    count: int
    again: int = 0
    """Those that it still reports."""
    files: int = 0
    """How many files all of these are in."""
    files_now: int = 0
    """How many files with unfinished issues its report names."""

    @property
    def looks_partial(self) -> bool:
        return self.count >= FEW and self.count > self.again and self.files_now < self.files


@dataclass(frozen=True)
class IssueSource:
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
    """As named by the first tool that reported it."""
    message: str
    weight: Weight
    sources: tuple[IssueSource, ...]
    baseline: BaselineState
    suggestion: str = ""
    effort_1_5: int = 0
    files: int = 0
    duplicate_of: int = 0
    run_id: str = ""
    """The run that is working on it, or was the last to."""
    commit: str = ""
    """The commit that resolved it."""
    pull: str = ""
    """URL of the pull request that merged the commit."""
    created_at: float = 0.0
    changed_at: float = 0.0
    label: str = ""
    """`SEC-001`: the id that its reviewer's findings have; empty: no reviewer found it."""

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
    """Who changed an issue's status, why, when, in which run and by which commit."""

    who: str
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
    """What `list`, `export` and `fix issues` select by; empty fields select all."""

    statuses: tuple[Status, ...] = ()
    tools: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    """As named by any tool that reported the issue, not just the first."""
    paths: tuple[str, ...] = ()
    """Files, folders, or globs with `*`."""
    weights: tuple[Weight, ...] = ()
    kinds: tuple[Kind, ...] = ()
    baselines: tuple[BaselineState, ...] = ()
    run_id: str = ""


@dataclass(frozen=True)
class IssuePage:
    issues: tuple[Issue, ...]
    after: int = 0
    """The id to continue after; 0: there are no more."""


Counts = Mapping[Status, int]
