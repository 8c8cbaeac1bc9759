"""Reads issues from a forge: code-scanning alerts, open review threads, and the commits that were merged."""

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from reknit.adapters.git.review_range import short_name
from reknit.app.config.load import Config, load
from reknit.app.installation import Installation
from reknit.app.issues.ledger import RepositoryIssues, local_user
from reknit.app.issues.merges import MAX_ASKED_COMMITS, choose_commits, fetch_lineage, record_merges
from reknit.app.makers import make_forge_maker
from reknit.app.pulls.remotes import forge_problem, list_forge_places, make_forge_place, name_token_variable
from reknit.core.checks.review import findings_from_remarks
from reknit.core.errors import LoginNeededError, ReknitError, UsageError
from reknit.core.forge.values import TRUSTED, ForgeError, ForgePlace, Remark
from reknit.core.issues.model import IssueFilter, ReportResult
from reknit.core.issues.output.messages import ResolvingCommit, SyncResult
from reknit.ports.forge import Forge

Answer = TypeVar("Answer")
THREAD_RULE = "thread"
NO_FORGE = "no-forge"


def fetch_alerts(installation: Installation, backlog: RepositoryIssues) -> tuple[ReportResult, ...]:
    """Fetch the alerts of the repository that the ledger is about: a fork has separate alerts."""
    places = _list_forge_places(installation, backlog)
    own = [forge_place for forge_place in places if backlog.key.endswith(f"/{forge_place.slug.lower()}")]
    return _ask_forges(installation, (own or places)[:1], lambda forge: tuple(forge.alerts()))


def fetch_threads(
    installation: Installation, backlog: RepositoryIssues, number: int
) -> tuple[tuple[ReportResult, ...], int]:
    """Fetch the open threads by the repository's members and bots, and the number of threads by others.

    The others are left out: an agent acts on the text of an issue, and anyone can comment on a public pull request.
    """
    remarks = _ask_forges(installation, _list_forge_places(installation, backlog), lambda forge: forge.remarks(number))
    trusted_remarks = [remark for remark in remarks if remark.association in TRUSTED or remark.is_bot]
    return tuple(_results_from_remarks(trusted_remarks, threads_tool_name(number))), len(remarks) - len(trusted_remarks)


def threads_tool_name(number: int) -> str:
    """Return one tool name per pull request: a thread that is settled on one says nothing about another."""
    return f"review #{number}"


def _results_from_remarks(remarks: list[Remark], tool: str) -> Iterator[ReportResult]:
    addresses = {remark.id: remark.url for remark in remarks}
    for finding in findings_from_remarks(remarks, 1):
        yield ReportResult(
            tool=tool,
            rule=THREAD_RULE,
            path=finding.file,
            line=finding.line,
            message=f"{finding.author}: {finding.message}",
            weight=finding.weight,
            fingerprint=finding.remark,
            url=addresses[finding.remark],
        )


def sync_merges(installation: Installation, backlog: RepositoryIssues, *, most: int = MAX_ASKED_COMMITS) -> SyncResult:
    """Record the issues that became MERGED according to the forge.

    Without a forge, return what the clone knows about them. `most`: number of commits to ask about.
    """
    if not backlog.ledger.unmerged_commits(backlog.key):
        return SyncResult()
    try:
        places, slug = _find_home(installation, backlog)
        names = (slug, *_ask_forges(installation, places, lambda forge: fetch_lineage(forge, slug)))
        merge_places = [forge_place for forge_place in places if forge_place.slug.lower() in map(str.lower, names)]
        if not merge_places:
            raise _no_forge_problem(
                f"no remote of this repository points to {slug} or to the repository it was forked from"
            )
    except UsageError as problem:
        if problem.name != NO_FORGE:
            raise
        return SyncResult(no_forge_reason=problem.message, landed=tuple(_list_resolving_commits(backlog)))
    return _record_merges(installation, backlog, merge_places, names, most)


def _record_merges(
    installation: Installation, backlog: RepositoryIssues, places: Sequence[ForgePlace], into: Sequence[str], most: int
) -> SyncResult:
    merged: list[int] = []
    problems: list[tuple[str, ReknitError]] = []
    user, at, ledger = local_user(), time.time(), backlog.ledger
    waiting = ledger.unmerged_commits(backlog.key)
    commits = choose_commits(waiting)[:most]
    for forge_place in places:
        try:
            merged += _ask_forges(
                installation, [forge_place], lambda forge: record_merges(ledger, forge, commits, into, user=user, at=at)
            )
        except ReknitError as problem:
            problems.append((forge_place.slug, problem))  # a fork may be gone while the upstream still knows
    if len(problems) == len(places):
        raise problems[0][1]
    unseen = tuple(f"{slug} could not be checked: {problem.message}" for slug, problem in problems)
    return SyncResult(tuple(merged), failed_repositories=unseen, unchecked_count=len(waiting) - len(commits))


def _find_home(installation: Installation, backlog: RepositoryIssues) -> tuple[list[ForgePlace], str]:
    """Return the places to ask about the ledger's repository, and its name there."""
    places = _list_forge_places(installation, backlog)
    host, _, slug = backlog.key.partition("/")
    if not host:
        return places, places[0].slug  # no remote has a forge address; the configuration names one
    api = make_forge_place(_load_config(installation, backlog), host, slug).api
    own = [forge_place for forge_place in places if forge_place.api == api]
    if not own:
        raise _no_forge_problem(f"{host} is not a forge that reknit supports")
    return own, next((forge_place.slug for forge_place in own if forge_place.slug.lower() == slug), slug)


def _list_resolving_commits(backlog: RepositoryIssues) -> Iterator[ResolvingCommit]:
    resolved: dict[str, list[int]] = {commit: [] for commit in backlog.ledger.unmerged_commits(backlog.key)}
    for issue in backlog.ledger.each(backlog.key, IssueFilter(statuses=("RESOLVED",))):
        resolved.setdefault(issue.commit, []).append(issue.id)
    in_head = {*backlog.repository.in_head_history(list(resolved))}
    for commit, issues in resolved.items():
        refs = () if commit in in_head else backlog.repository.branches_with(commit)
        yield ResolvingCommit(commit, tuple(sorted(issues)), commit in in_head, tuple(map(short_name, refs)))


def _ask_forges(
    installation: Installation, places: Sequence[ForgePlace], question: Callable[[Forge], Answer]
) -> Answer:
    """Return the first answer.

    The pull requests of a fork are in its upstream repository, so several places may have to be asked.
    """
    problems: list[ReknitError] = []
    for forge_place in places:
        try:
            return question(make_forge_maker(installation.environment)(forge_place))
        except ForgeError as error:
            problems.append(forge_problem(error.failure, forge_place))
        except LoginNeededError as problem:
            problems.append(name_token_variable(problem, forge_place))
    raise problems[0]


def _list_forge_places(installation: Installation, backlog: RepositoryIssues) -> list[ForgePlace]:
    config = _load_config(installation, backlog)
    try:
        return list_forge_places(backlog.repository, config)
    except UsageError as problem:
        raise _no_forge_problem(problem.message) from None


def _load_config(installation: Installation, backlog: RepositoryIssues) -> Config:
    return load(Path(backlog.repository.root), {}, installation.environment)


def _no_forge_problem(message: str) -> UsageError:
    return UsageError(NO_FORGE, message, help="`git remote -v` lists the remotes; `forge.remote` names the right one")


PAUSE_S = 600.0
"""Minimum seconds between two questions about one repository."""
FEW = 20
"""Number of newest commits to ask about: each costs a request, and a person is waiting."""


def sync_if_due(installation: Installation, backlog: RepositoryIssues) -> tuple[int, ...]:
    """Record merges at most once per `PAUSE_S`, and ignore a forge that cannot be asked.

    `reknit issues sync` asks about all commits, at any time, and reports errors.
    """
    if not backlog.ledger.unmerged_commits(backlog.key):
        return ()
    stamp = installation.state / "synced" / hashlib.sha256(backlog.key.encode(errors="replace")).hexdigest()[:32]
    with suppress(FileNotFoundError):
        if 0 <= time.time() - stamp.stat().st_mtime < PAUSE_S:
            return ()
    stamp.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    stamp.touch()  # before asking: a forge that does not answer is not asked again at once
    with suppress(ReknitError):
        return sync_merges(installation, backlog, most=FEW).merged
    return ()
