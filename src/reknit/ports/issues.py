"""The ledger that stores issues."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from reknit.core.issues.lifecycle import Status
from reknit.core.issues.model import (
    AbsentIssues,
    ChangeNote,
    Counts,
    ImportCount,
    ImportSource,
    Issue,
    IssueChange,
    IssueFilter,
    IssuePage,
    IssueSighting,
    KnownIssue,
    NewIssue,
)


class IssueImport(Protocol):
    """One import in progress: it alone may change its repository's issues, and is kept completely or not at all."""

    def known(self, paths: Sequence[str]) -> Sequence[KnownIssue]:
        """Every issue in these files, ordered by id."""

    def paths(self) -> Mapping[str, str]:
        """Every file with an issue -> the commit at which one was last seen."""

    def add(self, new: Sequence[NewIssue]) -> None: ...

    def seen(self, again: Sequence[IssueSighting]) -> None:
        """Record their current place, text and tool.

        Reopens a MERGED issue, and a RESOLVED one if the scanned tree contains its commit, or its file as that commit
        left it; no other status changes.
        """

    def label(self, ids: Sequence[int], prefix: str) -> Mapping[int, str]:
        """Each issue's label. One that has none yet gets the next one with this prefix, in the order of the ids."""

    def count(self) -> ImportCount: ...

    def absent(self) -> Sequence[AbsentIssues]:
        """What this import made absent, per tool; call it last."""


class IssueLedger(Protocol):
    """The issues of every repository. The database refuses transitions that are not in `core/issues/lifecycle.py`."""

    def importing(self, repository: str, source: ImportSource) -> AbstractContextManager[IssueImport]: ...

    def change(self, ids: Sequence[int], to: Status, note: ChangeNote, *, duplicate_of: int = 0) -> tuple[int, ...]:
        """Returns the issues that changed: the others already had that status, or may not change to it."""

    def take(
        self, run_id: str, ids: Sequence[int], note: ChangeNote, statuses: Collection[Status] = ("OPEN", "FAILED")
    ) -> tuple[int, ...]:
        """Claim issues with these statuses for this run: IN_PROGRESS. Returns all it has claimed, earlier ones too."""

    def settle(self, run_id: str, ids: Sequence[int], to: Status, note: ChangeNote) -> tuple[int, ...]:
        """Change what this run has IN_PROGRESS. Returns all issues this run gave that status, earlier ones too."""

    def merged(self, commit: str, pull: str, note: ChangeNote) -> tuple[int, ...]:
        """Mark what that commit resolved as MERGED by this pull request."""

    def landed(self, repository: str) -> tuple[str, ...]:
        """Commits that resolved issues which are not yet MERGED, oldest first."""

    def resolved(self, repository: str) -> Mapping[str, Sequence[str]]:
        """The same commits as `landed`, each with the files of its issues."""

    def issues(self, ids: Sequence[int]) -> tuple[Issue, ...]:
        """In the order of the ids; unknown ids are left out."""

    def history(self, issue: int) -> tuple[IssueChange, ...]: ...

    def page(self, repository: str, chosen: IssueFilter, *, after: int = 0, limit: int = 50) -> IssuePage:
        """Newest first; a deep page is as fast as the first one."""

    def each(self, repository: str, chosen: IssueFilter) -> Iterator[Issue]:
        """All of them, ordered by id, loaded one page at a time."""

    def counts(self, repository: str) -> Counts: ...
