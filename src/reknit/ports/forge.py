"""Protocol of a forge: everything that reknit reads from it and writes to it."""

from collections.abc import Callable, Iterator
from typing import Protocol

from reknit.core.forge.values import Actor, CheckReport, CiCheck, ForgePlace, OpenWork, Pull, Remark
from reknit.core.issues.model import ReportResult


class Forge(Protocol):
    """One repository on a forge, accessed as one identity.

    Every method may raise `ForgeError`. Every write first checks if it was made already, so it happens only once.
    """

    @property
    def account(self) -> str:
        """Identity whose rate limit the requests count against; every run with this identity shares it."""

    def whoami(self) -> Actor: ...

    def may_push(self, slug: str) -> bool: ...

    def credential(self) -> str:
        """Return the value of git's `Authorization` header for this identity."""

    def pull(self, number: int) -> Pull: ...

    def pulls_of(self, branch: str) -> tuple[Pull, ...]:
        """Return the open pull requests whose head has that branch name."""

    def required(self, branch: str) -> tuple[str, ...]:
        """Return the names of the checks that the branch requires, as far as this identity may see them."""

    def checks(self, sha: str) -> tuple[CiCheck, ...]:
        """Return the newest check runs and statuses of exactly this commit, by name; reknit's own are left out."""

    def has_news(self, sha: str) -> bool:
        """Return True if `checks` would return anything new, with one request that is cheap if nothing has changed."""

    def log(self, check: CiCheck) -> str:
        """Return the end of the job's log, at most 1 MB; empty if there is none."""

    def rerun(self, check: CiCheck) -> None:
        """Run the job again; does nothing if it is already running again."""

    def remarks(self, number: int) -> tuple[Remark, ...]:
        """Return open threads, except outdated ones, and each person's last review if it requests changes.

        Leaves out reknit's own comments.
        """

    def answer(self, remark: Remark, key: str, body: str) -> None:
        """Reply once in that thread and mark it resolved. A review is answered only by the run's comment."""

    def comment(self, number: int, key: str, body: str) -> str:
        """Create or edit the one comment that has this key and this identity as its author; returns its URL."""

    def set_check(self, sha: str, report: CheckReport) -> None:
        """Write reknit's own check run on that commit; only a GitHub App may."""

    def alerts(self) -> Iterator[ReportResult]:
        """Yield open code-scanning alerts of the default branch, page by page."""

    def pulls_with(self, commit: str) -> tuple[Pull, ...]:
        """Return the pull requests, open, closed or merged, whose branch contains or contained that commit."""

    def open_work(self) -> OpenWork:
        """Return the open pull requests and issues, the newest 200 of each. At most three requests."""

    def lineage(self, slug: str) -> tuple[str, ...]:
        """Return the repository's current name, then the repositories it is a fork of."""


ForgeMaker = Callable[[ForgePlace], Forge]
