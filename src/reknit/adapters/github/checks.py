"""Check runs, suites and statuses of one commit in one vocabulary, and a cheap poll for changes."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from reknit.adapters.github.api.requests import GitHubApi, page
from reknit.adapters.github.api.rest_models import (
    ACTIONS,
    CheckRun,
    CheckRuns,
    CheckSuite,
    CheckSuites,
    Status,
    Statuses,
    parsed,
)
from reknit.adapters.github.suites import announced, of_apps, reporting
from reknit.core.forge.values import CiCheck, CiState
from reknit.core.text.visible import strip_hidden

T = TypeVar("T")
Item = TypeVar("Item")

OWN = "reknit:"
"""Prefix of the external ids of reknit's own check runs."""
_LONGEST_SUMMARY = 2_000
_MOST_COMMITS = 256

ENDED: Mapping[str, CiState] = {
    "success": "pass",
    "neutral": "skipped",
    "skipped": "skipped",
    "cancelled": "cancelled",
    "stale": "pending",
}
"""Every other conclusion is a failure, even one that GitHub has yet to invent: unknown is never green."""
STATUS: Mapping[str, CiState] = {"success": "pass", "pending": "pending", "expected": "pending"}
"""The same. `expected` is only said by GraphQL, of a required status that nobody has sent."""


_Sourced = tuple[str, CiCheck]
"""With the App and suite of the run; a status has none."""


@dataclass
class _Watch:
    """The pages of one commit as of the last full read."""

    pages: dict[str, tuple[_Sourced, ...] | tuple[CheckSuite, ...]]
    apps: frozenset[str]
    """Whose suites count."""
    turns: list[str] = field(default_factory=list)
    """Pages that may still change; each poll takes the next one."""


class Checks:
    def __init__(self, api: GitHubApi, slug: str) -> None:
        self._api, self._slug = api, slug
        self._watched: dict[str, _Watch] = {}
        self._lock = threading.Lock()

    def read(self, sha: str) -> tuple[CiCheck, ...]:
        # Suites first: a completed suite gets no more runs, so the runs read after it are complete.
        suites = self._pages(CheckSuites, self._suites(sha), lambda read: read.check_suites)
        runs = self._pages(CheckRuns, self._runs(sha), lambda read: read.check_runs)
        statuses = self._pages(Statuses, self._statuses(sha), lambda read: read.statuses)
        every_run = [run for found in runs.values() for run in _not_own(found)]
        apps = reporting(every_run)
        counted = {address: of_apps(found, apps) for address, found in suites.items()}
        checks = {address: _of_runs(_not_own(found)) for address, found in runs.items()}
        checks |= {address: _of_statuses(found) for address, found in statuses.items()}
        every = checks | {address: announced(found, every_run) for address, found in counted.items()}
        still_open = [address for address, found in every.items() if _is_open(found)]
        # If nothing is pending, what we wait for has yet to appear, and may be a run or a status.
        turns = list(dict.fromkeys([page(self._runs(sha), 1), *still_open])) if still_open else list(checks)
        self._remember(sha, _Watch({**checks, **counted}, apps, turns))
        return _newest(check for found in every.values() for check in found)

    def has_news(self, sha: str) -> bool:
        watch = self._watched.get(sha)
        if watch is None:
            self._api.read(page(self._runs(sha), 1))
            return True
        with self._lock:
            watch.turns.append(address := watch.turns.pop(0))
        return self._seen_at(address, watch.apps) != watch.pages[address]

    def _pages(self, kind: type[T], path: str, pick: Callable[[T], Sequence[Item]]) -> dict[str, Sequence[Item]]:
        return dict(self._api.items(kind, path, pick))

    def _seen_at(self, address: str, apps: frozenset[str]) -> tuple[_Sourced, ...] | tuple[CheckSuite, ...]:
        body = self._api.read(address).body
        if "/check-suites?" in address:
            return of_apps(parsed(CheckSuites, body, address).check_suites, apps)
        if "/check-runs?" in address:
            return _of_runs(_not_own(parsed(CheckRuns, body, address).check_runs))
        return _of_statuses(parsed(Statuses, body, address).statuses)

    def _remember(self, sha: str, watch: _Watch) -> None:
        with self._lock:
            self._watched.pop(sha, None)
            self._watched[sha] = watch
            while len(self._watched) > _MOST_COMMITS:
                self._watched.pop(next(iter(self._watched)))

    def _suites(self, sha: str) -> str:
        return f"/repos/{self._slug}/commits/{sha}/check-suites"

    def _runs(self, sha: str) -> str:
        return f"/repos/{self._slug}/commits/{sha}/check-runs?filter=latest"

    def _statuses(self, sha: str) -> str:
        return f"/repos/{self._slug}/commits/{sha}/status"


def _not_own(runs: Iterable[CheckRun]) -> tuple[CheckRun, ...]:
    return tuple(run for run in runs if not (run.external_id or "").startswith(OWN))


def _of_runs(runs: Iterable[CheckRun]) -> tuple[_Sourced, ...]:
    return tuple((f"{run.writer} {run.check_suite.id if run.check_suite else ''}", of_run(run)) for run in runs)


def of_run(run: CheckRun) -> CiCheck:
    ended = run.status == "completed"
    said = "\n".join(part for part in (run.output.title, run.output.summary) if part)
    return CiCheck(
        name=run.name,
        state=ENDED.get(run.conclusion or "", "fail") if ended else "pending",
        word=(run.conclusion or run.status) if ended else run.status,
        url=run.html_url or run.details_url or "",
        id=run.id,
        is_job=run.writer == ACTIONS,
        summary=strip_hidden(said)[:_LONGEST_SUMMARY],
    )


def _of_statuses(statuses: Iterable[Status]) -> tuple[_Sourced, ...]:
    return tuple(("", _of_status(status)) for status in statuses)


def _of_status(status: Status) -> CiCheck:
    return CiCheck(
        name=status.context,
        state=STATUS.get(status.state, "fail"),
        word=status.state,
        url=status.target_url or "",
        summary=strip_hidden(status.description or "")[:_LONGEST_SUMMARY],
    )


def _is_open(checks: Sequence[_Sourced]) -> bool:
    return any(check.state == "pending" for _source, check in checks)


def _newest(checks: Iterable[_Sourced]) -> tuple[CiCheck, ...]:
    """Per suite and name: the `build` check of one workflow or App does not replace that of another."""
    newest: dict[tuple[str, str], CiCheck] = {}
    for source, check in checks:
        known = newest.get((source, check.name))
        if known is None or check.id > known.id:
            newest[source, check.name] = check
    return tuple(newest.values())
