"""Check runs and commit statuses of one commit, in one vocabulary; and a cheap look whether they have changed."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reknit.adapters.forges.github_api import GitHubApi, page
from reknit.adapters.forges.github_models import CheckRun, CheckRuns, Status, Statuses, parsed
from reknit.adapters.forges.hidden_text import without_hidden
from reknit.core.forge import CiCheck, CiState

_ACTIONS = "github-actions"
OWN = "reknit:"
"""The external ids of reknit's own check runs start so."""
_LONGEST_SUMMARY = 2_000
_MOST_COMMITS = 256

_ENDED: Mapping[str, CiState] = {
    "success": "pass",
    "neutral": "skipped",
    "skipped": "skipped",
    "cancelled": "cancelled",
    "stale": "pending",
}
"""Every other conclusion is a failure, also one that GitHub has yet to invent: unknown is never green."""
_STATUS: Mapping[str, CiState] = {"success": "pass", "pending": "pending"}


_Sourced = tuple[str, CiCheck]
"""With the App that wrote the run; a status has none."""


@dataclass
class _Watch:
    """What the pages of one commit said when they were last read for an answer."""

    pages: dict[str, tuple[_Sourced, ...]] = field(default_factory=dict)
    turns: list[str] = field(default_factory=list)
    """Where something may still change; each look takes the next."""


class Checks:
    def __init__(self, api: GitHubApi, slug: str) -> None:
        self._api, self._slug = api, slug
        self._watched: dict[str, _Watch] = {}
        self._lock = threading.Lock()

    def read(self, sha: str) -> tuple[CiCheck, ...]:
        watch = _Watch()
        for address, runs in self._api.items(CheckRuns, self._runs(sha), lambda read: read.check_runs):
            watch.pages[address] = _of_runs(runs)
        first = page(self._runs(sha), 1)
        for address, statuses in self._api.items(Statuses, self._statuses(sha), lambda read: read.statuses):
            watch.pages[address] = _of_statuses(statuses)
        still_open = [address for address, checks in watch.pages.items() if _is_open(checks)]
        # With nothing pending, what is waited for has yet to appear, and may be of either kind.
        watch.turns = list(dict.fromkeys([first, *still_open])) if still_open else list(watch.pages)
        self._remember(sha, watch)
        return _newest(check for checks in watch.pages.values() for check in checks)

    def has_news(self, sha: str) -> bool:
        watch = self._watched.get(sha)
        if watch is None:
            self._api.read(page(self._runs(sha), 1))
            return True
        with self._lock:
            watch.turns.append(address := watch.turns.pop(0))
        return self._checks_at(address) != watch.pages[address]

    def _checks_at(self, address: str) -> tuple[_Sourced, ...]:
        body = self._api.read(address).body
        if "/check-runs?" in address:
            return _of_runs(parsed(CheckRuns, body, address).check_runs)
        return _of_statuses(parsed(Statuses, body, address).statuses)

    def _remember(self, sha: str, watch: _Watch) -> None:
        with self._lock:
            self._watched.pop(sha, None)
            self._watched[sha] = watch
            while len(self._watched) > _MOST_COMMITS:
                self._watched.pop(next(iter(self._watched)))

    def _runs(self, sha: str) -> str:
        return f"/repos/{self._slug}/commits/{sha}/check-runs?filter=latest"

    def _statuses(self, sha: str) -> str:
        return f"/repos/{self._slug}/commits/{sha}/status"


def _of_runs(runs: Iterable[CheckRun]) -> tuple[_Sourced, ...]:
    return tuple((_writer(run), of_run(run)) for run in runs if not (run.external_id or "").startswith(OWN))


def _writer(run: CheckRun) -> str:
    return (run.app.slug if run.app else "") or "unknown"


def of_run(run: CheckRun) -> CiCheck:
    ended = run.status == "completed"
    said = "\n".join(part for part in (run.output.title, run.output.summary) if part)
    return CiCheck(
        name=run.name,
        state=_ENDED.get(run.conclusion or "", "fail") if ended else "pending",
        word=(run.conclusion or run.status) if ended else run.status,
        url=run.html_url or run.details_url or "",
        id=run.id,
        is_job=_writer(run) == _ACTIONS,
        summary=without_hidden(said)[:_LONGEST_SUMMARY],
    )


def _of_statuses(statuses: Iterable[Status]) -> tuple[_Sourced, ...]:
    return tuple(("", _of_status(status)) for status in statuses)


def _of_status(status: Status) -> CiCheck:
    return CiCheck(
        name=status.context,
        state=_STATUS.get(status.state, "fail"),
        word=status.state,
        url=status.target_url or "",
        summary=without_hidden(status.description or "")[:_LONGEST_SUMMARY],
    )


def _is_open(checks: Sequence[_Sourced]) -> bool:
    return any(check.state == "pending" for _source, check in checks)


def _newest(checks: Iterable[_Sourced]) -> tuple[CiCheck, ...]:
    """Of each writer and name: what one App says of `build` does not take back what another says of its own."""
    newest: dict[tuple[str, str], CiCheck] = {}
    for source, check in checks:
        known = newest.get((source, check.name))
        if known is None or check.id > known.id:
            newest[source, check.name] = check
    return tuple(newest.values())
