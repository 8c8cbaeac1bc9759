"""Reads check runs, suites and statuses of one commit as `CiCheck`, and polls cheaply for changes."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from reknit.adapters.github.api.requests import GitHubApi, make_page_address
from reknit.adapters.github.api.rest_models import (
    ACTIONS,
    CheckRun,
    CheckRuns,
    CheckSuite,
    CheckSuites,
    Status,
    Statuses,
    parse_answer,
)
from reknit.core.forge.values import CiCheck, CiState
from reknit.core.text.redact import strip_hidden


def list_reporting_apps(runs: Iterable[CheckRun]) -> frozenset[str]:
    """Return the Apps whose suites count. GitHub opens a suite for every App, also for Apps that never report."""
    return frozenset({ACTIONS, *(run.writer for run in runs)})


def select_suites(suites: Iterable[CheckSuite], apps: frozenset[str]) -> tuple[CheckSuite, ...]:
    """Return the suites of these Apps."""
    return tuple(suite for suite in suites if suite.writer in apps)


def list_announced(suites: Iterable[CheckSuite], runs: Iterable[CheckRun]) -> tuple[tuple[str, CiCheck], ...]:
    """Return (source, check) for each suite that has not ended and has no active run."""
    going = {run.check_suite.id for run in runs if run.check_suite and run.status != "completed"}
    waiting = [suite for suite in suites if suite.status != "completed" and suite.id not in going]
    return tuple((f"suites of {suite.writer}", _suite_to_check(suite)) for suite in waiting)


def _suite_to_check(suite: CheckSuite) -> CiCheck:
    name = "GitHub Actions" if suite.writer == ACTIONS else (suite.app and suite.app.name) or suite.writer
    home = suite.repository.html_url if suite.repository else ""
    url = f"{home}/commit/{suite.head_sha}/checks" if home else ""
    return CiCheck(name, "pending", suite.status or "queued", url)


T = TypeVar("T")
Item = TypeVar("Item")

OWN = "reknit:"
"""Prefix of the external ids of reknit's own check runs."""
_MAX_SUMMARY_CHARS = 2_000
_MAX_WATCHED_COMMITS = 256

CONCLUSION_STATES: Mapping[str, CiState] = {
    "success": "pass",
    "neutral": "skipped",
    "skipped": "skipped",
    "cancelled": "cancelled",
    "stale": "pending",
}
"""State for each conclusion. Every other one is a failure, so that an unknown one never counts as passed."""
STATUS_STATES: Mapping[str, CiState] = {"success": "pass", "pending": "pending", "expected": "pending"}
"""State for each status; every other one is a failure. GraphQL uses `expected` for a required one not yet sent."""


_Sourced = tuple[str, CiCheck]
"""A check with the App and suite of its run; a status has none."""


@dataclass
class _Watch:
    """The pages of one commit at its last full read."""

    pages: dict[str, tuple[_Sourced, ...] | tuple[CheckSuite, ...]]
    apps: frozenset[str]
    """Apps whose suites count."""
    turns: list[str] = field(default_factory=list)
    """Addresses of pages that may still change; each poll takes the next one."""


class Checks:
    """The checks of a repository's commits, and the pages that a poll compares with."""

    def __init__(self, api: GitHubApi, slug: str) -> None:
        self._api, self._slug = api, slug
        self._watched: dict[str, _Watch] = {}
        self._lock = threading.Lock()

    def read(self, sha: str) -> tuple[CiCheck, ...]:
        # Suites first: a completed suite gets no more runs, so the runs read after it are complete.
        suites = self._pages(CheckSuites, self._suites(sha), lambda read: read.check_suites)
        runs = self._pages(CheckRuns, self._runs(sha), lambda read: read.check_runs)
        statuses = self._pages(Statuses, self._statuses(sha), lambda read: read.statuses)
        every_run = [run for items in runs.values() for run in _exclude_own(items)]
        apps = list_reporting_apps(every_run)
        counting_suites = {address: select_suites(items, apps) for address, items in suites.items()}
        checks = {address: _to_sourced_checks(_exclude_own(items)) for address, items in runs.items()}
        checks |= {address: _statuses_to_checks(items) for address, items in statuses.items()}
        every = checks | {address: list_announced(items, every_run) for address, items in counting_suites.items()}
        still_open = [address for address, items in every.items() if _is_open(items)]
        # If nothing is pending, news can be a new run or a new status, so poll all their pages.
        turns = (
            list(dict.fromkeys([make_page_address(self._runs(sha), 1), *still_open])) if still_open else list(checks)
        )
        self._remember(sha, _Watch({**checks, **counting_suites}, apps, turns))
        return _select_newest(check for items in every.values() for check in items)

    def has_news(self, sha: str) -> bool:
        watch = self._watched.get(sha)
        if watch is None:
            self._api.read(make_page_address(self._runs(sha), 1))
            return True
        with self._lock:
            watch.turns.append(address := watch.turns.pop(0))
        return self._read_page(address, watch.apps) != watch.pages[address]

    def _pages(self, kind: type[T], path: str, pick: Callable[[T], Sequence[Item]]) -> dict[str, Sequence[Item]]:
        return dict(self._api.items(kind, path, pick))

    def _read_page(self, address: str, apps: frozenset[str]) -> tuple[_Sourced, ...] | tuple[CheckSuite, ...]:
        body = self._api.read(address).body
        if "/check-suites?" in address:
            return select_suites(parse_answer(CheckSuites, body, address).check_suites, apps)
        if "/check-runs?" in address:
            return _to_sourced_checks(_exclude_own(parse_answer(CheckRuns, body, address).check_runs))
        return _statuses_to_checks(parse_answer(Statuses, body, address).statuses)

    def _remember(self, sha: str, watch: _Watch) -> None:
        with self._lock:
            self._watched.pop(sha, None)
            self._watched[sha] = watch
            while len(self._watched) > _MAX_WATCHED_COMMITS:
                self._watched.pop(next(iter(self._watched)))

    def _suites(self, sha: str) -> str:
        return f"/repos/{self._slug}/commits/{sha}/check-suites"

    def _runs(self, sha: str) -> str:
        return f"/repos/{self._slug}/commits/{sha}/check-runs?filter=latest"

    def _statuses(self, sha: str) -> str:
        return f"/repos/{self._slug}/commits/{sha}/status"


def _exclude_own(runs: Iterable[CheckRun]) -> tuple[CheckRun, ...]:
    return tuple(run for run in runs if not (run.external_id or "").startswith(OWN))


def _to_sourced_checks(runs: Iterable[CheckRun]) -> tuple[_Sourced, ...]:
    return tuple((f"{run.writer} {run.check_suite.id if run.check_suite else ''}", to_check(run)) for run in runs)


def to_check(run: CheckRun) -> CiCheck:
    """Convert a check run."""
    ended = run.status == "completed"
    text = "\n".join(part for part in (run.output.title, run.output.summary) if part)
    return CiCheck(
        name=run.name,
        state=CONCLUSION_STATES.get(run.conclusion or "", "fail") if ended else "pending",
        word=(run.conclusion or run.status) if ended else run.status,
        url=run.html_url or run.details_url or "",
        id=run.id,
        is_job=run.writer == ACTIONS,
        summary=strip_hidden(text)[:_MAX_SUMMARY_CHARS],
    )


def _statuses_to_checks(statuses: Iterable[Status]) -> tuple[_Sourced, ...]:
    return tuple(("", _status_to_check(status)) for status in statuses)


def _status_to_check(status: Status) -> CiCheck:
    return CiCheck(
        name=status.context,
        state=STATUS_STATES.get(status.state, "fail"),
        word=status.state,
        url=status.target_url or "",
        summary=strip_hidden(status.description or "")[:_MAX_SUMMARY_CHARS],
    )


def _is_open(checks: Sequence[_Sourced]) -> bool:
    return any(check.state == "pending" for _source, check in checks)


def _select_newest(checks: Iterable[_Sourced]) -> tuple[CiCheck, ...]:
    """Return the newest check per source and name: two workflows or Apps may both have a check named `build`."""
    newest: dict[tuple[str, str], CiCheck] = {}
    for source, check in checks:
        previous = newest.get((source, check.name))
        if previous is None or check.id > previous.id:
            newest[source, check.name] = check
    return tuple(newest.values())
