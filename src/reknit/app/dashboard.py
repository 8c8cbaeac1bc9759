"""Gives the web pages their data, and does what a person asks for there by the same code as the commands."""

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.installation import Installation
from reknit.app.pulls.remotes import repository_key
from reknit.app.runs.foreground import find_open_run
from reknit.app.runs.liveness import mark_orphaned
from reknit.app.runs.stop import park_run, queue_again
from reknit.app.start.queue import start_worker
from reknit.core.dashboard.page_text import Row, RunPage, build_row, build_run_page
from reknit.core.dashboard.values import Action, AuditEntry, Cursor, WeekOfFixes, WeekOfSpending
from reknit.core.errors import ReknitError, UsageError
from reknit.core.runs.view import RunView
from reknit.store.database import open_store
from reknit.store.open_databases import closing_databases
from reknit.store.runs.pages import WEEK_S, DashboardLedger, DashboardReader, ListName
from reknit.store.runs.reader import RunReader

PAGE_ROWS = 50
WEEKS = 12
_FIRST_MONDAY = 345_600
"""Unix time of the first Monday; weeks begin on Mondays, in UTC."""


class Dashboard:
    """Data and actions of the pages. `repositories` are paths; None: all."""

    def __init__(self, installation: Installation) -> None:
        self._installation = installation
        database = open_store(installation.database)
        self._runs, self._pages, self._ledger = (
            RunReader(database),
            DashboardReader(database),
            DashboardLedger(database),
        )

    def list_rows(
        self, name: ListName, after: Cursor | None, repositories: Collection[str] | None,
        may_read: Callable[[RunView], bool],
    ) -> tuple[list[Row], Cursor | None]:  # fmt: skip
        """Return one page of a list, and the cursor of the next one."""
        runs, following = self._pages.list_runs(name, after=after, limit=PAGE_ROWS, repositories=repositories)
        now = time.time()
        return [build_row(run, now) for run in self._mark_orphaned(filter(may_read, runs))], following

    def _mark_orphaned(self, runs: Iterable[RunView]) -> list[RunView]:
        return mark_orphaned(self._installation, self._runs, list(runs))

    def count_unsettled(self, repositories: Collection[str] | None) -> int:
        return self._pages.count_unsettled(repositories)

    def sum_fixes(self, repositories: Collection[str] | None) -> list[WeekOfFixes]:
        return self._pages.sum_fixes(_find_first_week(time.time()), repositories)

    def sum_spending(self, repositories: Collection[str] | None) -> list[WeekOfSpending]:
        return self._pages.sum_spending(_find_first_week(time.time()), repositories)

    def list_repositories(self) -> list[str]:
        return self._pages.list_repositories()

    def find_run(self, run_id: str) -> RunView | None:
        """Return the run of exactly this id."""
        try:
            run = self._runs.run(run_id)
        except UsageError:
            return None
        return run if run.id == run_id else None

    def build_run_page(self, run: RunView) -> RunPage:
        (run,) = self._mark_orphaned([run])
        return build_run_page(self._runs.stored(run), self._runs.events(run.id), time.time())

    def act(self, action: Action, run_id: str) -> None:
        """Do what a person asks for, as the command of this name does it."""
        with closing_databases():
            if action == "stop" and park_run(self._installation, run_id).ending:
                raise UsageError("ended", f"{run_id} has already ended")
            if action == "resume":
                queue_again(self._installation, find_open_run(self._installation, run_id).id)
                start_worker(self._installation)
            if action == "settle":
                self._ledger.settle(run_id)

    def record(self, entry: AuditEntry) -> None:
        self._ledger.record(entry)

    def list_audit(self) -> Sequence[AuditEntry]:
        return self._ledger.list_entries()


@lru_cache(maxsize=1000)
def find_repository_key(path: str) -> str:
    """Return `host/owner/name` of the clone at this path; empty if it has no remote on a forge."""
    try:
        key = repository_key(UserRepository.find(path))
    except ReknitError:
        return ""
    return "" if Path(key).is_absolute() else key


def _find_first_week(now: float) -> float:
    return now - (now - _FIRST_MONDAY) % WEEK_S - (WEEKS - 1) * WEEK_S
