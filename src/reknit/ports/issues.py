"""The port behind which issues are kept."""

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
    """One import while it goes on: nobody else changes the issues of its repository, and all of it or nothing stays."""

    def known(self, paths: Sequence[str]) -> Sequence[KnownIssue]:
        """Every issue in these files, by id."""

    def paths(self) -> Mapping[str, str]:
        """Every file that has an issue -> the commit it was last seen at."""

    def add(self, new: Sequence[NewIssue]) -> None: ...

    def seen(self, again: Sequence[IssueSighting]) -> None:
        """Notes place, text and tool as they are now.

        A MERGED one is OPEN again, and a RESOLVED one whose commit, or whose file as that commit made it, is in what
        was looked at; no other status changes.
        """

    def count(self) -> ImportCount: ...

    def absent(self) -> Sequence[AbsentIssues]:
        """What became absent by this import, tool by tool; to be asked at its end."""


class IssueLedger(Protocol):
    """The issues of every repository. The database refuses transitions that `core/issues/lifecycle.py` lacks."""

    def importing(self, repository: str, source: ImportSource) -> AbstractContextManager[IssueImport]: ...

    def change(self, ids: Sequence[int], to: Status, note: ChangeNote, *, duplicate_of: int = 0) -> tuple[int, ...]:
        """Those that changed: the others had a status from which there is no way, or had it already."""

    def take(
        self, run_id: str, ids: Sequence[int], note: ChangeNote, statuses: Collection[Status] = ("OPEN", "FAILED")
    ) -> tuple[int, ...]:
        """Make those of these statuses this run's work: IN_PROGRESS. Returns all that are, also by an earlier call."""

    def settle(self, run_id: str, ids: Sequence[int], to: Status, note: ChangeNote) -> tuple[int, ...]:
        """Of what this run has IN_PROGRESS. Returns all that have the status by this run, also by an earlier call."""

    def merged(self, commit: str, pull: str, note: ChangeNote) -> tuple[int, ...]:
        """What that commit resolved is MERGED by this pull request."""

    def landed(self, repository: str) -> tuple[str, ...]:
        """Commits that resolved issues which are not yet MERGED, the oldest first."""

    def resolved(self, repository: str) -> Mapping[str, Sequence[str]]:
        """The same commits, each with the files of its issues."""

    def issues(self, ids: Sequence[int]) -> tuple[Issue, ...]:
        """In the order of the ids; one that is not there is left out."""

    def history(self, issue: int) -> tuple[IssueChange, ...]: ...

    def page(self, repository: str, chosen: IssueFilter, *, after: int = 0, limit: int = 50) -> IssuePage:
        """Newest first; as quick deep in the list as at its beginning."""

    def each(self, repository: str, chosen: IssueFilter) -> Iterator[Issue]:
        """All of them, in the order of the ids, held in memory a page at a time."""

    def counts(self, repository: str) -> Counts: ...
