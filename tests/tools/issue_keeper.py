"""Keeps issues the way the store does, but in memory: enough to import one report after the other."""

from collections.abc import Mapping, Sequence

from reknit.core.issues.identity.matching import MatchResult, follow, match
from reknit.core.issues.lifecycle import Status
from reknit.core.issues.model import KnownIssue, LocatedResult


class Keeper:
    def __init__(self, status: Status = "OPEN") -> None:
        self.known: dict[int, KnownIssue] = {}
        self._status: Status = status

    def take(self, found: Sequence[LocatedResult], renames: Mapping[str, str] | None = None) -> MatchResult:
        known = follow(list(self.known.values()), renames or {})
        self.known = {issue.id: issue for issue in known}
        matched = match(known, found)
        for again in reversed(matched.again):  # the first of an issue counts
            old = self.known[again.id]
            tools = tuple(dict.fromkeys((*old.tools, again.placed.found.tool)))
            self.known[old.id] = issue(again.placed, old.id, tools, old.status, old.fingerprint)
        for new in matched.new:
            tools = (new.placed.found.tool, *(other.found.tool for other in new.also))
            number = len(self.known) + 1
            self.known[number] = issue(new.placed, number, tools, self._status, new.fingerprint)
        return matched

    def ids(self, matched: MatchResult) -> dict[int, int]:
        """Of every result, by the identity of the value."""
        made = {issue.fingerprint: issue.id for issue in self.known.values()}
        seen = {id(again.placed): again.id for again in matched.again}
        return seen | {id(one): made[new.fingerprint] for new in matched.new for one in (new.placed, *new.also)}


def issue(placed: LocatedResult, number: int, tools: tuple[str, ...], status: Status, fingerprint: str) -> KnownIssue:
    looks = placed.wide, placed.own, placed.said
    return KnownIssue(number, placed.path, placed.concept, placed.found.line, *looks, tools, status, fingerprint)
