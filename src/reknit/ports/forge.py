"""What is asked of a forge and done there."""

from collections.abc import Callable, Iterator
from typing import Protocol

from reknit.core.forge.values import Actor, CheckReport, CiCheck, ForgePlace, Pull, Remark
from reknit.core.issues.model import ReportResult


class Forge(Protocol):
    """One repository on a forge, seen by one identity.

    Every method may raise `core.forge.Hindered`. Every write carries a key, looks first and so happens once.
    """

    @property
    def account(self) -> str:
        """The identity whose rate limit its requests use up: shared by every run that has the same."""

    def whoami(self) -> Actor: ...

    def may_push(self, slug: str) -> bool: ...

    def credential(self) -> str:
        """The value of git's `Authorization` header for this identity."""

    def pull(self, number: int) -> Pull: ...

    def pulls_of(self, branch: str) -> tuple[Pull, ...]:
        """Open pull requests whose head has that branch name."""

    def required(self, branch: str) -> tuple[str, ...]:
        """Names of the checks that branch demands, as far as this identity may know."""

    def checks(self, sha: str) -> tuple[CiCheck, ...]:
        """Check runs and commit statuses of exactly this commit, the newest of each name; never reknit's own."""

    def has_news(self, sha: str) -> bool:
        """Whether `checks` would answer anything new. One request, and a cheap one when nothing has changed."""

    def log(self, check: CiCheck) -> str:
        """The end of the job's log, at most 1 MB; empty when there is none."""

    def rerun(self, check: CiCheck) -> None:
        """Have it run once more; nothing when it is already running again."""

    def remarks(self, number: int) -> tuple[Remark, ...]:
        """Open threads that are not outdated, and each person's last review if it asks for changes; not our own."""

    def answer(self, remark: Remark, key: str, body: str) -> None:
        """Reply once in that thread and mark it resolved. A review is only replied to by the comment of the run."""

    def comment(self, number: int, key: str, body: str) -> str:
        """The one comment with this key and of this identity, written or edited in place; returns its address."""

    def set_check(self, sha: str, report: CheckReport) -> None:
        """Write reknit's own check run on that commit; only an App may."""

    def alerts(self) -> Iterator[ReportResult]:
        """Open code-scanning alerts of the default branch, page by page."""

    def pulls_with(self, commit: str) -> tuple[Pull, ...]:
        """Pull requests, open, closed or merged, whose branch has or had that commit."""

    def lineage(self, slug: str) -> tuple[str, ...]:
        """That repository by the name it has now, then what it is a fork of."""


ForgeMaker = Callable[[ForgePlace], Forge]
