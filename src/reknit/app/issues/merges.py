"""Asks the forge which of the commits that resolved issues are in a merged pull request."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from random import SystemRandom

from reknit.app.config.load import load
from reknit.app.installation import Installation
from reknit.app.pulls.remotes import place_on
from reknit.core.errors import ReknitError
from reknit.core.forge.values import ForgeError, Pull
from reknit.core.forge.webhook import WebhookEvent
from reknit.core.issues.model import ChangeNote
from reknit.core.repository.remote_url import place_of
from reknit.ports.forge import Forge, ForgeMaker
from reknit.ports.issues import IssueLedger
from reknit.store.database import open_store
from reknit.store.issues.ledger import SqlIssueLedger

WHO = "reknit serve"
PAUSES_S = (5.0, 60.0)
"""A forge may announce a merge before its own lists show it, or fail for a moment."""
MOST_ASKED = 200
"""Commits to ask about at once, one request each: abandoned ones stay RESOLVED and would be asked about forever."""


def to_ask(landed: Sequence[str], first: str = "") -> tuple[str, ...]:
    """Newest first. If there are too many, half are the newest and the rest random, so that each gets its turn.

    `landed`: oldest first. `first`: comes before all others, if it is among them.
    """
    before = [first] if first in landed else []
    newest = (*before, *(commit for commit in reversed(landed) if commit != first))
    if len(newest) <= MOST_ASKED:
        return newest
    sure = MOST_ASKED // 2
    return (*newest[:sure], *SystemRandom().sample(newest[sure:], MOST_ASKED - sure))


def lineage(forge: Forge, slug: str) -> tuple[str, ...]:
    """The repository and those it was forked from; empty if it is gone or not visible."""
    try:
        return forge.lineage(slug)
    except ForgeError as hindered:
        if hindered.failure.kind != "missing":
            raise
        return ()


def note_merges(
    ledger: IssueLedger, forge: Forge, commits: Sequence[str], into: Collection[str], *, who: str, at: float
) -> tuple[int, ...]:
    """The issues that became MERGED. The forge does not know a commit rebased before its push: it stays RESOLVED.

    `into`: the repositories whose merges count, which is the lineage: anyone may merge its commits into a fork.
    Raises `ForgeError`; what was recorded until then stays, and the next call continues.
    """
    merged: list[int] = []
    for commit in commits:
        pull = next((pull for pull in forge.pulls_with(commit) if _is_merged(pull, into)), None)
        if pull is not None:
            note = ChangeNote(who=who, why=f"pull request #{pull.number} is merged", at=at, commit=commit)
            merged += ledger.merged(commit, pull.url, note)
    return tuple(merged)


def _is_merged(pull: Pull, into: Collection[str]) -> bool:
    base = place_of(pull.base_url)
    return pull.state == "merged" and base is not None and base[1].lower() in {slug.lower() for slug in into}


@dataclass(frozen=True)
class MergeLookup:
    merged: tuple[int, ...] = ()
    problem: str = ""
    """Why the forge could not be asked."""
    is_over: bool = True
    """Another look would find nothing more."""


def look_for_merge(place: Installation, event: WebhookEvent, forges: ForgeMaker, *, at: float) -> MergeLookup:
    """The event is only a reason to ask: every change is based on the forge's own answer."""
    home = place_of(event.home) if event.merged_from else None
    if home is None:
        return MergeLookup()
    # Issues are kept under the repository that their clone came from, which may be a fork of the one asked.
    keys = {f"{home[0]}/{slug}".lower(): slug for slug in (event.slug, event.merged_from)}
    database = open_store(place.database)
    ledger = SqlIssueLedger(database)
    merged: list[int] = []
    try:
        awaited = {key: slug for key, slug in keys.items() if ledger.landed(key)}
        if not awaited:
            return MergeLookup()
        forge = forges(place_on(load(None, {}, place.environment), home[0], event.slug))
        left: list[str] = []
        for key, slug in awaited.items():
            if _is_of(forge, slug, event.slug):
                commits = to_ask(ledger.landed(key), event.sha)
                merged += note_merges(ledger, forge, commits, [event.slug], who=WHO, at=at)
                left += ledger.landed(key)
        return MergeLookup(tuple(merged), is_over=event.sha not in left)
    except ForgeError as hindered:
        passes = hindered.failure.kind in ("limited", "unreachable")
        return MergeLookup(tuple(merged), str(hindered), is_over=not passes)
    except ReknitError as problem:
        return MergeLookup(problem=problem.what)
    finally:
        database.dispose()


def _is_of(forge: Forge, slug: str, asked: str) -> bool:
    """Whether a merge into `asked` also counts for `slug`."""
    return slug.lower() == asked.lower() or asked.lower() in map(str.lower, lineage(forge, slug))


def follow_merge(
    event: WebhookEvent,
    look: Callable[[WebhookEvent], MergeLookup],
    say: Callable[[str], None],
    wait: Callable[[float], object],
) -> None:
    """Look for the merge, retry if that may help, and report what could not be looked up."""
    for pause_s in (0.0, *PAUSES_S):
        if pause_s:
            wait(pause_s)
        seen = look(event)
        if seen.merged:
            say(f"merged: {', '.join(f'I-{issue}' for issue in seen.merged)}")
        if seen.is_over:
            break
    if seen.problem:
        say(f"{event.slug}#{event.number}: could not look up its merges: {seen.problem}; `reknit issues sync` retries")
