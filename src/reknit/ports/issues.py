"""Protocols of the ledger that stores issues, and of an import into it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from reknit.core.issues.import_summary import AbsentIssues, ImportCount, ImportSource
from reknit.core.issues.lifecycle import Status
from reknit.core.issues.model import (
    ChangeNote,
    Counts,
    Issue,
    IssueChange,
    IssueFilter,
    IssuePage,
    IssueSighting,
    KnownIssue,
    NewIssue,
)


class IssueImport(Protocol):
    """One import in progress. No other writer changes the repository's issues meanwhile; a failure undoes all of it."""

    def find_known(self, paths: Sequence[str]) -> Sequence[KnownIssue]:
        """Return every issue in these files, ordered by id."""

    def paths(self) -> Mapping[str, str]:
        """Return every file with an issue, with the commit at which one was last seen."""

    def add(self, new: Sequence[NewIssue]) -> None: ...

    def record_sightings(self, sightings: Sequence[IssueSighting]) -> None:
        """Record the current place, text and tool of known issues.

        Reopens a MERGED issue, and a RESOLVED one if the scanned tree contains its commit, or its file as that commit
        left it; no other status changes.
        """

    def label(self, ids: Sequence[int], prefix: str) -> Mapping[int, str]:
        """Return each issue's label. One without a label gets the next one with this prefix, in order of the ids."""

    def count(self) -> ImportCount: ...

    def mark_absent(self) -> Sequence[AbsentIssues]:
        """Mark issues that the reports no longer contain as absent, and return them per tool; call it last."""


class IssueLedger(Protocol):
    """The issues of every repository. The database refuses transitions that are not in `core/issues/model.py`."""

    def importing(self, repository: str, source: ImportSource) -> AbstractContextManager[IssueImport]: ...

    def change(self, ids: Sequence[int], to: Status, note: ChangeNote, *, duplicate_of: int = 0) -> tuple[int, ...]:
        """Change the status. Return the changed issues; the others had that status already, or may not change to it."""

    def take(
        self, run_id: str, ids: Sequence[int], note: ChangeNote, statuses: Collection[Status] = ("OPEN", "FAILED")
    ) -> tuple[int, ...]:
        """Claim issues with these statuses for this run: IN_PROGRESS. Returns all it has claimed, earlier ones too."""

    def settle(self, run_id: str, ids: Sequence[int], to: Status, note: ChangeNote) -> tuple[int, ...]:
        """Change what this run has IN_PROGRESS. Returns all issues this run gave that status, earlier ones too."""

    def mark_merged(self, commit: str, pull: str, note: ChangeNote) -> tuple[int, ...]:
        """Mark what that commit resolved as MERGED by this pull request."""

    def unmerged_commits(self, repository: str) -> tuple[str, ...]:
        """Return the commits that resolved issues which are not yet MERGED, oldest first."""

    def unmerged_files(self, repository: str) -> Mapping[str, Sequence[str]]:
        """Return the same commits as `unmerged_commits`, each with the files of its issues."""

    def issues(self, ids: Sequence[int]) -> tuple[Issue, ...]:
        """Return these issues in the order of the ids; unknown ids are left out."""

    def history(self, issue: int) -> tuple[IssueChange, ...]: ...

    def page(self, repository: str, issue_filter: IssueFilter, *, after: int = 0, limit: int = 50) -> IssuePage:
        """Return one page of issues, newest first; a deep page is as fast as the first one."""

    def each(self, repository: str, issue_filter: IssueFilter) -> Iterator[Issue]:
        """Yield all matching issues, ordered by id, loaded one page at a time."""

    def counts(self, repository: str) -> Counts: ...
