"""What a forge knows about issues: code-scanning alerts, open review threads, and which commits were merged."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from reknit.adapters.git.user_repository import short_name
from reknit.app.config.load import Config, load
from reknit.app.installation import Installation
from reknit.app.issues.ledger import RepositoryIssues, person
from reknit.app.issues.merges import MOST_ASKED, lineage, note_merges, to_ask
from reknit.app.makers import forge_maker
from reknit.app.pulls.remotes import forge_places, forge_problem, place_on, with_variable
from reknit.core.checks.review import remarks_as_findings
from reknit.core.errors import LoginNeeded, ReknitError, UsageProblem
from reknit.core.forge.values import TRUSTED, ForgeError, ForgePlace, Remark
from reknit.core.issues.model import IssueFilter, ReportResult
from reknit.core.issues.output.sync_messages import ResolvingCommit, SyncResult
from reknit.ports.forge import Forge

Answer = TypeVar("Answer")
THREAD_RULE = "thread"
NO_FORGE = "no-forge"


def alerts(place: Installation, backlog: RepositoryIssues) -> tuple[ReportResult, ...]:
    """Only those of the repository that the ledger is about: a fork has separate alerts."""
    places = _places(place, backlog)
    own = [where for where in places if backlog.key.endswith(f"/{where.slug.lower()}")]
    return _asked(place, (own or places)[:1], lambda forge: tuple(forge.alerts()))


def threads(place: Installation, backlog: RepositoryIssues, number: int) -> tuple[tuple[ReportResult, ...], int]:
    """Open threads by the repository's members and bots on a pull request, and how many there are by others.

    The others are left out: an agent acts on what an issue says, and anyone can comment on a public pull request.
    """
    remarks = _asked(place, _places(place, backlog), lambda forge: forge.remarks(number))
    heard = [remark for remark in remarks if remark.association in TRUSTED or remark.is_bot]
    return tuple(_as_found(heard, threads_tool(number))), len(remarks) - len(heard)


def threads_tool(number: int) -> str:
    """One name per pull request: what is settled on one says nothing about another."""
    return f"review #{number}"


def _as_found(remarks: list[Remark], tool: str) -> Iterator[ReportResult]:
    addresses = {remark.id: remark.url for remark in remarks}
    for finding in remarks_as_findings(remarks, 1):
        yield ReportResult(
            tool=tool,
            rule=THREAD_RULE,
            path=finding.file,
            line=finding.line,
            message=f"{finding.author}: {finding.message}",
            weight=finding.weight,
            given=finding.remark,
            url=addresses[finding.remark],
        )


def sync(place: Installation, backlog: RepositoryIssues, *, most: int = MOST_ASKED) -> SyncResult:
    """The issues that became MERGED according to the forge; without a forge, what the clone knows about them.

    `most`: how many commits to ask about.
    """
    if not backlog.ledger.landed(backlog.key):
        return SyncResult()
    try:
        places, slug = _home(place, backlog)
        names = (slug, *_asked(place, places, lambda forge: lineage(forge, slug)))
        known = [where for where in places if where.slug.lower() in map(str.lower, names)]
        if not known:
            raise _nobody(f"no remote of this repository points to {slug} or to the repository it was forked from")
    except UsageProblem as problem:
        if problem.name != NO_FORGE:
            raise
        return SyncResult(unasked=problem.what, landed=tuple(_landed(backlog)))
    return _merged(place, backlog, known, names, most)


def _merged(
    place: Installation, backlog: RepositoryIssues, places: Sequence[ForgePlace], into: Sequence[str], most: int
) -> SyncResult:
    merged: list[int] = []
    problems: list[tuple[str, ReknitError]] = []
    who, at, ledger = person(), time.time(), backlog.ledger
    waiting = ledger.landed(backlog.key)
    commits = to_ask(waiting)[:most]
    for where in places:
        try:
            merged += _asked(place, [where], lambda forge: note_merges(ledger, forge, commits, into, who=who, at=at))
        except ReknitError as problem:
            problems.append((where.slug, problem))  # a fork may be gone while the upstream still knows
    if len(problems) == len(places):
        raise problems[0][1]
    unseen = tuple(f"{slug} could not be checked: {problem.what}" for slug, problem in problems)
    return SyncResult(tuple(merged), unseen=unseen, not_asked=len(waiting) - len(commits))


def _home(place: Installation, backlog: RepositoryIssues) -> tuple[list[ForgePlace], str]:
    """The places to ask about the ledger's repository, and its name there."""
    places = _places(place, backlog)
    host, _, slug = backlog.key.partition("/")
    if not host:
        return places, places[0].slug  # no remote has a forge address; the configuration names one
    api = place_on(_config(place, backlog), host, slug).api
    own = [where for where in places if where.api == api]
    if not own:
        raise _nobody(f"{host} is not a forge that reknit supports")
    return own, next((where.slug for where in own if where.slug.lower() == slug), slug)


def _landed(backlog: RepositoryIssues) -> Iterator[ResolvingCommit]:
    resolved: dict[str, list[int]] = {commit: [] for commit in backlog.ledger.landed(backlog.key)}
    for issue in backlog.ledger.each(backlog.key, IssueFilter(statuses=("RESOLVED",))):
        resolved.setdefault(issue.commit, []).append(issue.id)
    in_head = {*backlog.repository.in_head_history(list(resolved))}
    for commit, issues in resolved.items():
        refs = () if commit in in_head else backlog.repository.branches_with(commit)
        yield ResolvingCommit(commit, tuple(sorted(issues)), commit in in_head, tuple(map(short_name, refs)))


def _asked(place: Installation, places: Sequence[ForgePlace], question: Callable[[Forge], Answer]) -> Answer:
    """The first answer: the pull requests of a fork are in its upstream repository, so several places are asked."""
    problems: list[ReknitError] = []
    for where in places:
        try:
            return question(forge_maker(place.environment)(where))
        except ForgeError as hindered:
            problems.append(forge_problem(hindered.failure, where))
        except LoginNeeded as problem:
            problems.append(with_variable(problem, where))
    raise problems[0]


def _places(place: Installation, backlog: RepositoryIssues) -> list[ForgePlace]:
    config = _config(place, backlog)
    try:
        return forge_places(backlog.repository, config)
    except UsageProblem as problem:
        raise _nobody(problem.what) from None


def _config(place: Installation, backlog: RepositoryIssues) -> Config:
    return load(Path(backlog.repository.root), {}, place.environment)


def _nobody(what: str) -> UsageProblem:
    return UsageProblem(NO_FORGE, what, help="`git remote -v` lists the remotes; `forge.remote` names the right one")
