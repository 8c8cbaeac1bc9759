"""Issues: findings that are kept, each with a place in a lifecycle."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import msgspec

from reknit.core.finding import Weight
from reknit.core.issues.lifecycle import Status
from reknit.core.repository.routing import Kind

BaselineState = Literal["new", "unchanged", "updated", "absent"]
"""SARIF's words: how an issue stands to the newest import of the tools that saw it."""

UNESTIMATED_EFFORT, UNESTIMATED_FILES = 3, 1
FEW = 3


class ReportResult(msgspec.Struct, frozen=True, gc=False):
    """One result of a tool's report, as it stands there. No cycle can be in it, and there may be a million."""

    tool: str
    rule: str
    path: str
    """As the report has it: absolute, a `file:` address, or relative to somewhere. Empty: no file."""
    line: int = 0
    """From 1; 0: the whole file."""
    column: int = 0
    """From 1; 0: not said."""
    message: str = ""
    weight: Weight = "important"
    suggestion: str = ""
    effort_1_5: int = 0
    """0: not estimated."""
    files: int = 0
    """How many files a fix has to touch; 0: not estimated."""
    snippet: str = ""
    """The line's own text, where the report brings it."""
    given: str = ""
    """The tool's own fingerprint, where it has one."""
    url: str = ""


class LocatedResult(msgspec.Struct, frozen=True, gc=False):
    """A result whose place in the repository is known: path from the root, and what its lines look like."""

    found: ReportResult
    path: str
    concept: str
    """The rule under the name that all tools share, so that one problem seen by two tools is one issue."""
    wide: bytes
    """Of the text after its place and of the text before it, 16 bytes each."""
    own: bytes
    """Of the line alone: 16 bytes, or 15 when the line is too short to be like no other."""
    said: bytes
    """Of the message without what changes from run to run, 16 bytes, and of the whole message, 8 bytes."""


class KnownIssue(msgspec.Struct, frozen=True, gc=False):
    """An issue as the matching of a new report needs it."""

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
    """32 hexadecimal digits, for ever: moved lines, other texts and renamed files do not change it."""
    also: tuple[LocatedResult, ...] = ()
    """What other tools of the same report say of the same problem."""


class IssueSighting(msgspec.Struct, frozen=True, gc=False):
    id: int
    placed: LocatedResult
    """Its place and text as they are now."""


@dataclass(frozen=True)
class ImportSource:
    """Which report of which tools was taken in, and what it was made on."""

    tools: tuple[str, ...]
    """Every tool that spoke, also those that found nothing."""
    names: tuple[str, ...]
    """Of the files, or of the question a forge was asked."""
    commit: str
    at: float
    who: str
    partial: tuple[str, ...] = ()
    """Of the tools those that did not look at everything: what they no longer tell of may still be there."""
    landed: tuple[str, ...] = ()
    """Commits of runs that what was looked at has: what they resolved and a tool still sees is not resolved."""
    carried: frozenset[tuple[str, str]] = frozenset()
    """(commit, path) of files that what was looked at has just as that commit made them: it came in another way."""


@dataclass(frozen=True)
class ImportCount:
    number: int
    """Of the import; it counts up."""
    new: int = 0
    seen: int = 0
    """Known already and unchanged."""
    updated: int = 0
    """Known already; place or text has changed."""
    again: int = 0
    """Of those, RESOLVED and MERGED ones that are there again: OPEN now."""
    unmerged: tuple[int, ...] = ()
    """RESOLVED ones that a tool still sees in what does not have their commit."""


@dataclass(frozen=True)
class AbsentIssues:
    """Issues to be done that a tool reported before, and in this import no more."""

    tool: str
    count: int
    again: int = 0
    """Those that it reports still."""
    files: int = 0
    """How many files they all are in."""
    files_now: int = 0
    """How many files with issues to be done its report names."""

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
    """An issue as it is read back."""

    id: int
    repository: str
    """`host/owner/name` of its forge, or the path of a repository that is on none."""
    fingerprint: str
    status: Status
    path: str
    line: int
    column: int
    rule: str
    """As the first tool that saw it names it."""
    message: str
    weight: Weight
    sources: tuple[IssueSource, ...]
    baseline: BaselineState
    suggestion: str = ""
    effort_1_5: int = 0
    files: int = 0
    duplicate_of: int = 0
    run_id: str = ""
    """The run that works on it or worked on it last."""
    commit: str = ""
    """The commit that resolved it."""
    pull: str = ""
    """Address of the pull request that brought it in."""
    created_at: float = 0.0
    changed_at: float = 0.0

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
    """One line of an issue's history."""

    issue: int
    old: Status | None
    """None: it was created."""
    new: Status
    note: ChangeNote


@dataclass(frozen=True)
class IssueFilter:
    """What `list`, `export` and `fix issues` choose by; empty fields choose all."""

    statuses: tuple[Status, ...] = ()
    tools: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    """As a tool names them, also the second tool that saw it."""
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
    """The id to ask on from; 0: there are no more."""


Counts = Mapping[Status, int]
