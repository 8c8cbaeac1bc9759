"""Matches results of a report with known issues, and joins results of several tools about one problem."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import msgspec

from reknit.core.issues.identity.fingerprint import make_fingerprint
from reknit.core.issues.identity.pairing import ANOTHER_TOOL, SAME_TOOL, Drift, Pair, Pairing, Sign
from reknit.core.issues.model import IssueSighting, KnownIssue, LocatedResult, NewIssue


@dataclass(frozen=True)
class MatchResult:
    """Results of a report, as new issues and as sightings of known ones."""

    new: Sequence[NewIssue]
    """Sorted by path, line and column."""
    sightings: Sequence[IssueSighting]
    """Sightings; two adjacent ones of an issue if two tools report it: the first gives its location."""
    repeat_count: int
    """Number of results that the report contains twice."""


def match_results(issues: Sequence[KnownIssue], results: Sequence[LocatedResult]) -> MatchResult:
    """Match results with issues of the same file."""
    unique_results = [next(same) for _, same in groupby(sorted(results, key=_sort_key), key=_sort_key)]
    groups = _make_groups(issues, unique_results)
    for _, of_file in groupby(groups, key=lambda group: group.path):
        _match_file(list(of_file))
    new = sorted(
        (group_results for group in groups for group_results in group.new), key=lambda seen: _reading_key(seen[0])
    )
    fingerprints = _Fingerprints({issue.fingerprint for issue in issues})
    return MatchResult(
        [NewIssue(first, fingerprints.make(first), tuple(also)) for first, *also in new],
        [again for group in groups for again in group.sightings()],
        len(results) - len(unique_results),
    )


def follow_renames(issues: Sequence[KnownIssue], renames: Mapping[str, str]) -> list[KnownIssue]:
    """Return the issues with the current paths of their files."""
    return [msgspec.structs.replace(one, path=renames[one.path]) if one.path in renames else one for one in issues]


def add_former_paths(paths: Iterable[str], renames: Mapping[str, str]) -> list[str]:
    """Return these files, and the paths that they had before they were renamed."""
    here = frozenset(paths)
    return [*sorted(here), *(old for old, new in renames.items() if new in here)]


class _Group:
    """The issues and the results of one concept in one file."""

    def __init__(self, path: str, issues: Sequence[KnownIssue], results: Sequence[LocatedResult]) -> None:
        self.path, self._issues = path, issues
        self._results_by_issue: dict[int, list[LocatedResult]] = {}
        """Results that match an issue, by its id."""
        self.new: list[list[LocatedResult]] = []
        of_tool: dict[str, list[LocatedResult]] = {}
        for one in results:
            of_tool.setdefault(one.result.tool, []).append(one)
        self._pairings = [
            Pairing((issue for issue in issues if tool in issue.tools), of_tool[tool]) for tool in sorted(of_tool)
        ]

    def take(self, sign: Sign, drift: Drift) -> list[Pair]:
        pairs = [pair for pairing in self._pairings for pair in pairing.take(sign, drift)]
        for issue, result in pairs:
            self._results_by_issue.setdefault(issue.id, []).append(result)
        return pairs

    def turn_to_other_tools(self) -> None:
        """Compare unmatched results with issues that other tools found, now or in an earlier report."""
        problems = _Problems(self._results_by_issue.values())
        unmatched = ([one for one in pairing.results if not problems.try_to_join(one)] for pairing in self._pairings)
        unmatched_issues = [issue for issue in self._issues if issue.id not in self._results_by_issue]
        self._pairings = [
            Pairing((issue for issue in unmatched_issues if results[0].result.tool not in issue.tools), results)
            for results in unmatched
            if results
        ]

    def keep_the_rest(self) -> None:
        problems = _Problems(self._results_by_issue.values())
        for one in (one for pairing in self._pairings for one in pairing.results):
            if not problems.try_to_join(one):
                self.new.append([one])
                problems.add(self.new[-1])

    def sightings(self) -> Iterator[IssueSighting]:
        for issue in self._issues:
            for result in sorted(
                self._results_by_issue.get(issue.id, ()), key=lambda one: one.result.tool != issue.tools[0]
            ):
                yield IssueSighting(issue.id, result)


class _Problems:
    """Problems of one group in this report, by line and text."""

    def __init__(self, problems: Iterable[list[LocatedResult]]) -> None:
        self._problems: dict[tuple[int, bytes], list[list[LocatedResult]]] = {}
        self._positions: dict[tuple[int, bytes, str], int] = {}
        """Number of problems at a place that have a result of the tool, by line, text and tool."""
        for results in problems:
            self.add(results)

    def add(self, problem: list[LocatedResult]) -> None:
        self._problems.setdefault((problem[0].result.line, problem[0].line_digest), []).append(problem)

    def try_to_join(self, one: LocatedResult) -> bool:
        """Join a problem that the result's tool has not reported: two results of one tool are two problems."""
        line, own, tool = one.result.line, one.line_digest, one.result.tool
        here = self._problems.get((line, own), [])
        at = self._positions.get((line, own, tool), 0)
        while at < len(here) and any(other.result.tool == tool for other in here[at]):
            at += 1
        self._positions[line, own, tool] = at
        if at == len(here):
            return False
        here[at].append(one)
        return True


class _Fingerprints:
    """Permanent and unique fingerprints, even for results that look alike in one file."""

    def __init__(self, used: set[str]) -> None:
        self._used = used
        self._ordinals: dict[tuple[str, str, bytes], int] = {}

    def make(self, result: LocatedResult) -> str:
        looks = result.path, result.concept, result.context_digests
        ordinal = self._ordinals.get(looks, 0)
        while (name := make_fingerprint(result, ordinal)) in self._used:
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
    """Pair by each sign in turn. Pairs of a strong sign show where to expect the rest."""
    drift = Drift(pairs)
    for sign in signs:
        more = [pair for group in groups for pair in group.take(sign, drift)]
        if more:
            pairs = pairs + more
            drift = Drift(pairs)
    return pairs


def _make_groups(issues: Iterable[KnownIssue], results: Iterable[LocatedResult]) -> list[_Group]:
    issues_by_concept: dict[tuple[str, str], list[KnownIssue]] = {}
    for issue in sorted(issues, key=lambda issue: (issue.line, issue.id)):
        issues_by_concept.setdefault((issue.path, issue.concept), []).append(issue)
    grouped = groupby(results, key=lambda one: (one.path, one.concept))
    return [_Group(group[0], issues_by_concept.get(group, []), list(results)) for group, results in grouped]


def _sort_key(one: LocatedResult) -> tuple[str, str, int, int, str, str, str]:
    """Return the order of results; equal keys are an exact repeat."""
    return one.path, one.concept, *_reading_key(one)[1:]


def _reading_key(one: LocatedResult) -> tuple[str, int, int, str, str, str]:
    return one.path, one.result.line, one.result.column, one.result.tool, one.result.rule, one.result.message
