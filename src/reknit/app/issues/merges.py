"""Asks the forge which of the commits that resolved issues are in a merged pull request."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from random import SystemRandom

from reknit.app.config.load import load
from reknit.app.installation import Installation
from reknit.app.pulls.remotes import make_forge_place
from reknit.core.errors import ReknitError
from reknit.core.forge.values import ForgeError, Pull, WebhookEvent
from reknit.core.issues.model import ChangeNote
from reknit.core.repository.remote_url import parse_remote
from reknit.ports.forge import Forge, ForgeMaker
from reknit.ports.issues import IssueLedger
from reknit.store.database import open_store
from reknit.store.issues.ledger import SqlIssueLedger

WHO = "reknit serve"
PAUSES_S = (5.0, 60.0)
"""Seconds before each retry: a forge may announce a merge before its lists show it, or fail for a moment."""
MAX_ASKED_COMMITS = 200
"""Maximum commits per call, one request each. Abandoned ones stay RESOLVED, so the number would only grow."""


def choose_commits(landed: Sequence[str], first: str = "") -> tuple[str, ...]:
    """Return the commits to ask about, newest first.

    If there are too many, half are the newest and the rest random, so that each gets its turn. `landed`: oldest first.
    `first`: comes before all others, if it is among them.
    """
    before = [first] if first in landed else []
    newest = (*before, *(commit for commit in reversed(landed) if commit != first))
    if len(newest) <= MAX_ASKED_COMMITS:
        return newest
    sure = MAX_ASKED_COMMITS // 2
    return (*newest[:sure], *SystemRandom().sample(newest[sure:], MAX_ASKED_COMMITS - sure))


def fetch_lineage(forge: Forge, slug: str) -> tuple[str, ...]:
    """Return the repository and those it was forked from; nothing if it is gone or not visible."""
    try:
        return forge.lineage(slug)
    except ForgeError as hindered:
        if hindered.failure.kind != "missing":
            raise
        return ()


def record_merges(
    ledger: IssueLedger, forge: Forge, commits: Sequence[str], into: Collection[str], *, user: str, at: float
) -> tuple[int, ...]:
    """Record the issues whose commits were merged, and return them.

    The forge does not know a commit that was rebased before its push, so that issue stays RESOLVED. `into`: the
    repositories whose merges count, which is the lineage: anyone may merge its commits into a fork. Raise `ForgeError`;
    then the records made so far stay, and the next call continues.
    """
    merged: list[int] = []
    for commit in commits:
        pull = next((pull for pull in forge.pulls_with(commit) if _is_merged(pull, into)), None)
        if pull is not None:
            note = ChangeNote(author=user, why=f"pull request #{pull.number} is merged", at=at, commit=commit)
            merged += ledger.mark_merged(commit, pull.url, note)
    return tuple(merged)


def _is_merged(pull: Pull, into: Collection[str]) -> bool:
    base = parse_remote(pull.base_url)
    return pull.state == "merged" and base is not None and base[1].lower() in {slug.lower() for slug in into}


@dataclass(frozen=True)
class MergeLookup:
    """The result of one look for a merge."""

    merged: tuple[int, ...] = ()
    problem: str = ""
    """Reason why the forge could not be asked; empty if it answered."""
    is_over: bool = True
    """True if another look would find nothing more."""


def look_for_merge(installation: Installation, event: WebhookEvent, forges: ForgeMaker, *, at: float) -> MergeLookup:
    """Look for merges after an event. The event is only a hint: every change follows the forge's own answer."""
    home = parse_remote(event.home) if event.merged_from else None
    if home is None:
        return MergeLookup()
    # Issues are kept under the repository that their clone came from, which may be a fork of the one asked.
    keys = {f"{home[0]}/{slug}".lower(): slug for slug in (event.slug, event.merged_from)}
    database = open_store(installation.database)
    ledger = SqlIssueLedger(database)
    merged: list[int] = []
    try:
        awaited = {key: slug for key, slug in keys.items() if ledger.unmerged_commits(key)}
        if not awaited:
            return MergeLookup()
        forge = forges(make_forge_place(load(None, {}, installation.environment), home[0], event.slug))
        unmerged: list[str] = []
        for key, slug in awaited.items():
            if _counts_for(forge, slug, event.slug):
                commits = choose_commits(ledger.unmerged_commits(key), event.sha)
                merged += record_merges(ledger, forge, commits, [event.slug], user=WHO, at=at)
                unmerged += ledger.unmerged_commits(key)
        return MergeLookup(tuple(merged), is_over=event.sha not in unmerged)
    except ForgeError as hindered:
        passes = hindered.failure.kind in ("limited", "unreachable")
        return MergeLookup(tuple(merged), str(hindered), is_over=not passes)
    except ReknitError as problem:
        return MergeLookup(problem=problem.message)
    finally:
        database.dispose()


def _counts_for(forge: Forge, slug: str, merged_slug: str) -> bool:
    """Return True if a merge into `merged_slug` also counts for `slug`."""
    return slug.lower() == merged_slug.lower() or merged_slug.lower() in map(str.lower, fetch_lineage(forge, slug))


def follow_merge(
    event: WebhookEvent,
    look: Callable[[WebhookEvent], MergeLookup],
    say: Callable[[str], None],
    wait: Callable[[float], object],
) -> None:
    """Look for the merge, retry if that may help, and report problems."""
    for pause_s in (0.0, *PAUSES_S):
        if pause_s:
            wait(pause_s)
        lookup = look(event)
        if lookup.merged:
            say(f"merged: {', '.join(f'I-{issue}' for issue in lookup.merged)}")
        if lookup.is_over:
            break
    if lookup.problem:
        say(
            f"{event.slug}#{event.number}: could not look up its merges: {lookup.problem}; `reknit issues sync` retries"
        )
