"""Keeps issues the way the store does, but in memory: enough to import one report after the other."""

from collections.abc import Mapping, Sequence

from reknit.core.issues.identity.matching import MatchResult, follow_renames, match_results
from reknit.core.issues.lifecycle import Status
from reknit.core.issues.model import KnownIssue, LocatedResult


class Keeper:
    def __init__(self, status: Status = "OPEN") -> None:
        self.known: dict[int, KnownIssue] = {}
        self._status: Status = status

    def take(self, found: Sequence[LocatedResult], renames: Mapping[str, str] | None = None) -> MatchResult:
        known = follow_renames(list(self.known.values()), renames or {})
        self.known = {issue.id: issue for issue in known}
        matched = match_results(known, found)
        for again in reversed(matched.sightings):  # the first of an issue counts
            old = self.known[again.id]
            tools = tuple(dict.fromkeys((*old.tools, again.result.result.tool)))
            self.known[old.id] = issue(again.result, old.id, tools, old.status, old.fingerprint)
        for new in matched.new:
            tools = (new.result.result.tool, *(other.result.tool for other in new.other_results))
            number = len(self.known) + 1
            self.known[number] = issue(new.result, number, tools, self._status, new.fingerprint)
        return matched

    def ids(self, matched: MatchResult) -> dict[int, int]:
        """Of every result, by the identity of the value."""
        made = {issue.fingerprint: issue.id for issue in self.known.values()}
        seen = {id(again.result): again.id for again in matched.sightings}
        return seen | {
            id(one): made[new.fingerprint] for new in matched.new for one in (new.result, *new.other_results)
        }


def issue(placed: LocatedResult, number: int, tools: tuple[str, ...], status: Status, fingerprint: str) -> KnownIssue:
    looks = placed.context_digests, placed.line_digest, placed.message_digests
    return KnownIssue(number, placed.path, placed.concept, placed.result.line, *looks, tools, status, fingerprint)
