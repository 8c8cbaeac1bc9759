"""What a forge knows of issues: code-scanning alerts, open review threads, and which commits were merged."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from reknit.app.config import load
from reknit.app.forge_places import forge_places, forge_problem, with_variable
from reknit.app.installation import Installation
from reknit.app.issues_merged import note_merges
from reknit.app.issues_place import Backlog, person
from reknit.app.wiring import forge_maker
from reknit.core.errors import LoginNeeded, ReknitError, UsageProblem
from reknit.core.forge import TRUSTED, ForgePlace, Hindered, Remark
from reknit.core.issue import Found
from reknit.core.review import remarks_as_findings
from reknit.ports import Forge

Answer = TypeVar("Answer")
THREAD_RULE = "thread"


def alerts(place: Installation, backlog: Backlog) -> tuple[Found, ...]:
    """Of the repository that the ledger means, and no other: a fork has alerts of its own."""
    places = _places(place, backlog)
    own = [where for where in places if backlog.key.endswith(f"/{where.slug.lower()}")]
    return _asked(place, (own or places)[:1], lambda forge: tuple(forge.alerts()))


def threads(place: Installation, backlog: Backlog, number: int) -> tuple[tuple[Found, ...], int]:
    """What those who belong to the repository, and its bots, left open on a pull request; and how many others did.

    An agent acts on what an issue says, and anybody can write on a public pull request.
    """
    remarks = _asked(place, _places(place, backlog), lambda forge: forge.remarks(number))
    heard = [remark for remark in remarks if remark.association in TRUSTED or remark.is_bot]
    return tuple(_as_found(heard, threads_tool(number))), len(remarks) - len(heard)


def threads_tool(number: int) -> str:
    """One a pull request: what is settled on one says nothing of another."""
    return f"review #{number}"


def _as_found(remarks: list[Remark], tool: str) -> Iterator[Found]:
    addresses = {remark.id: remark.url for remark in remarks}
    for finding in remarks_as_findings(remarks, 1):
        yield Found(
            tool=tool,
            rule=THREAD_RULE,
            path=finding.file,
            line=finding.line,
            message=f"{finding.author}: {finding.message}",
            weight=finding.weight,
            given=finding.remark,
            url=addresses[finding.remark],
        )


def sync(place: Installation, backlog: Backlog) -> tuple[int, ...]:
    """The issues that are MERGED now, because a forge says so."""
    merged: list[int] = []
    problems: list[ReknitError] = []
    who, at = person(), time.time()
    places = _places(place, backlog) if backlog.ledger.landed(backlog.key) else []
    for where in places:
        try:
            merged += _asked(place, [where], lambda it: note_merges(backlog.ledger, it, backlog.key, who=who, at=at))
        except ReknitError as problem:
            problems.append(problem)  # a fork may be gone, and the upstream still knows
    if places and len(problems) == len(places):
        raise problems[0]
    return tuple(merged)


def _asked(place: Installation, places: Sequence[ForgePlace], question: Callable[[Forge], Answer]) -> Answer:
    """The first that knows what it is asked for: a clone of a fork has its pull requests at the upstream."""
    problems: list[ReknitError] = []
    for where in places:
        try:
            return question(forge_maker(place.environment)(where))
        except Hindered as hindered:
            problems.append(forge_problem(hindered.hindrance, where))
        except LoginNeeded as problem:
            problems.append(with_variable(problem, where))
    raise problems[0]


def _places(place: Installation, backlog: Backlog) -> list[ForgePlace]:
    config = load(Path(backlog.repository.root), {}, place.environment)
    try:
        return forge_places(backlog.repository, config)
    except UsageProblem as problem:
        raise _no_forge(problem) from None


def _no_forge(problem: UsageProblem) -> ReknitError:
    """It speaks of pull requests, which nobody asked for here."""
    what = problem.what.removeprefix("No PR for current branch.  ")
    return UsageProblem("no-forge", what, help="`git remote -v` lists the remotes; `forge.remote` names the right one")
