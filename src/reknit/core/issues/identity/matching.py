"""Which results of a report are known issues, which are new, and which are one problem reported by two tools."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import msgspec

from reknit.core.issues.identity.fingerprint import stable
from reknit.core.issues.identity.pairing import Drift, Pair, Pairing
from reknit.core.issues.identity.signs import ANOTHER_TOOL, SAME_TOOL, Sign
from reknit.core.issues.model import IssueSighting, KnownIssue, LocatedResult, NewIssue


@dataclass(frozen=True)
class MatchResult:
    new: Sequence[NewIssue]
    """Sorted by path, line and column."""
    again: Sequence[IssueSighting]
    """Two adjacent entries if two tools report an issue: it takes the location and text of the first."""
    repeats: int
    """Results that the report contains twice."""


def match(known: Sequence[KnownIssue], found: Sequence[LocatedResult]) -> MatchResult:
    """Issues never match across files."""
    once = [next(same) for _, same in groupby(sorted(found, key=_order), key=_order)]
    groups = _groups(known, once)
    for _, of_file in groupby(groups, key=lambda group: group.path):
        _match_file(list(of_file))
    new = sorted((seen for group in groups for seen in group.new), key=lambda seen: _reading_order(seen[0]))
    fingerprints = _Fingerprints({issue.fingerprint for issue in known})
    return MatchResult(
        [NewIssue(first, fingerprints.of(first), tuple(also)) for first, *also in new],
        [again for group in groups for again in group.again()],
        len(found) - len(once),
    )


def follow(known: Sequence[KnownIssue], renames: Mapping[str, str]) -> list[KnownIssue]:
    """The issues, with the current paths of their files."""
    return [msgspec.structs.replace(one, path=renames[one.path]) if one.path in renames else one for one in known]


def with_former(paths: Iterable[str], renames: Mapping[str, str]) -> list[str]:
    """These files, and the paths that they had before they were renamed."""
    here = frozenset(paths)
    return [*sorted(here), *(old for old, new in renames.items() if new in here)]


class _Group:
    """The issues and the results of one concept in one file."""

    def __init__(self, path: str, known: Sequence[KnownIssue], found: Sequence[LocatedResult]) -> None:
        self.path, self._known = path, known
        self._seen: dict[int, list[LocatedResult]] = {}
        """By issue id."""
        self.new: list[list[LocatedResult]] = []
        of_tool: dict[str, list[LocatedResult]] = {}
        for one in found:
            of_tool.setdefault(one.found.tool, []).append(one)
        self._pairings = [
            Pairing((issue for issue in known if tool in issue.tools), of_tool[tool]) for tool in sorted(of_tool)
        ]

    def take(self, sign: Sign, drift: Drift) -> list[Pair]:
        pairs = [pair for pairing in self._pairings for pair in pairing.take(sign, drift)]
        for issue, result in pairs:
            self._seen.setdefault(issue.id, []).append(result)
        return pairs

    def turn_to_other_tools(self) -> None:
        """A result that matches no issue of its tool may be what another tool found, now or in an earlier report."""
        places = _Places(self._seen.values())
        left = ([one for one in pairing.found if not places.joins(one)] for pairing in self._pairings)
        unseen = [issue for issue in self._known if issue.id not in self._seen]
        self._pairings = [
            Pairing((issue for issue in unseen if found[0].found.tool not in issue.tools), found)
            for found in left
            if found
        ]

    def keep_the_rest(self) -> None:
        places = _Places(self._seen.values())
        for one in (one for pairing in self._pairings for one in pairing.found):
            if not places.joins(one):
                self.new.append([one])
                places.add(self.new[-1])

    def again(self) -> Iterator[IssueSighting]:
        for issue in self._known:
            for result in sorted(self._seen.get(issue.id, ()), key=lambda one: one.found.tool != issue.tools[0]):
                yield IssueSighting(issue.id, result)


class _Places:
    """Problems of one group that this report contains, by line and text."""

    def __init__(self, seen: Iterable[list[LocatedResult]]) -> None:
        self._seen: dict[tuple[int, bytes], list[list[LocatedResult]]] = {}
        self._tried: dict[tuple[int, bytes, str], int] = {}
        """How many problems at that place are known to have a result of that tool."""
        for results in seen:
            self.add(results)

    def add(self, seen: list[LocatedResult]) -> None:
        self._seen.setdefault((seen[0].found.line, seen[0].own), []).append(seen)

    def joins(self, one: LocatedResult) -> bool:
        """Two results of one tool are never one problem: each joins one that its tool has not reported."""
        line, own, tool = one.found.line, one.own, one.found.tool
        here = self._seen.get((line, own), [])
        at = self._tried.get((line, own, tool), 0)
        while at < len(here) and any(other.found.tool == tool for other in here[at]):
            at += 1
        self._tried[line, own, tool] = at
        if at == len(here):
            return False
        here[at].append(one)
        return True


class _Fingerprints:
    """Permanent and unique, even for what looks alike in one file."""

    def __init__(self, used: set[str]) -> None:
        self._used = used
        self._ordinals: dict[tuple[str, str, bytes], int] = {}

    def of(self, placed: LocatedResult) -> str:
        looks = placed.path, placed.concept, placed.wide
        ordinal = self._ordinals.get(looks, 0)
        while (name := stable(placed, ordinal)) in self._used:
            ordinal += 1
        self._ordinals[looks] = ordinal + 1
        return name


def _match_file(groups: Sequence[_Group]) -> None:
    pairs = _recognise(groups, SAME_TOOL, [])
    for group in groups:
        group.turn_to_other_tools()
    _recognise(groups, ANOTHER_TOOL, pairs)
    for group in groups:
        group.keep_the_rest()


def _recognise(groups: Sequence[_Group], signs: Iterable[Sign], pairs: list[Pair]) -> list[Pair]:
    """What a strong sign has paired, in all groups of the file, shows where to expect the rest."""
    drift = Drift(pairs)
    for sign in signs:
        more = [pair for group in groups for pair in group.take(sign, drift)]
        if more:
            pairs = pairs + more
            drift = Drift(pairs)
    return pairs


def _groups(known: Iterable[KnownIssue], found: Iterable[LocatedResult]) -> list[_Group]:
    issues: dict[tuple[str, str], list[KnownIssue]] = {}
    for issue in sorted(known, key=lambda issue: (issue.line, issue.id)):
        issues.setdefault((issue.path, issue.concept), []).append(issue)
    grouped = groupby(found, key=lambda one: (one.path, one.concept))
    return [_Group(group[0], issues.get(group, []), list(results)) for group, results in grouped]


def _order(one: LocatedResult) -> tuple[str, str, int, int, str, str, str]:
    """Also defines when a result is an exact repeat of another."""
    return one.path, one.concept, *_reading_order(one)[1:]


def _reading_order(one: LocatedResult) -> tuple[str, int, int, str, str, str]:
    return one.path, one.found.line, one.found.column, one.found.tool, one.found.rule, one.found.message
