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
    """Sightings of known issues. If two tools report an issue, it has two in a row; the first gives its location."""
    repeat_count: int
    """Number of results that the report contains twice."""


def match_results(issues: Sequence[KnownIssue], results: Sequence[LocatedResult]) -> MatchResult:
    """Match results with issues of the same file."""
    unique_results = [next(same) for _, same in groupby(sorted(results, key=_make_sort_key), key=_make_sort_key)]
    groups = _make_groups(issues, unique_results)
    for _, of_file in groupby(groups, key=lambda group: group.path):
        _match_file(list(of_file))
    new = sorted(
        (problem for group in groups for problem in group.new), key=lambda problem: _make_reading_key(problem[0])
    )
    fingerprints = _Fingerprints({issue.fingerprint for issue in issues})
    return MatchResult(
        [NewIssue(first, fingerprints.make(first), tuple(also)) for first, *also in new],
        [sighting for group in groups for sighting in group.list_sightings()],
        len(results) - len(unique_results),
    )


def follow_renames(issues: Sequence[KnownIssue], renames: Mapping[str, str]) -> list[KnownIssue]:
    """Return the issues with the current paths of their files."""
    return [
        msgspec.structs.replace(issue, path=renames[issue.path]) if issue.path in renames else issue for issue in issues
    ]


def add_former_paths(paths: Iterable[str], renames: Mapping[str, str]) -> list[str]:
    """Return these files, and the paths that they had before they were renamed."""
    current_paths = frozenset(paths)
    return [*sorted(current_paths), *(old for old, new in renames.items() if new in current_paths)]


class _Group:
    """The issues and the results of one concept in one file."""

    def __init__(self, path: str, issues: Sequence[KnownIssue], results: Sequence[LocatedResult]) -> None:
        self.path, self._issues = path, issues
        self._results_by_issue: dict[int, list[LocatedResult]] = {}
        """Results that match an issue, by its id."""
        self.new: list[list[LocatedResult]] = []
        results_by_tool: dict[str, list[LocatedResult]] = {}
        for result in results:
            results_by_tool.setdefault(result.result.tool, []).append(result)
        self._pairings = [
            Pairing((issue for issue in issues if tool in issue.tools), results_by_tool[tool])
            for tool in sorted(results_by_tool)
        ]

    def take(self, sign: Sign, drift: Drift) -> list[Pair]:
        pairs = [pair for pairing in self._pairings for pair in pairing.take(sign, drift)]
        for issue, result in pairs:
            self._results_by_issue.setdefault(issue.id, []).append(result)
        return pairs

    def match_across_tools(self) -> None:
        """Join unmatched results to problems that other tools report now, and pair the rest with their issues."""
        problems = _Problems(self._results_by_issue.values())
        unmatched = (
            [result for result in pairing.results if not problems.try_to_join(result)] for pairing in self._pairings
        )
        unmatched_issues = [issue for issue in self._issues if issue.id not in self._results_by_issue]
        self._pairings = [
            Pairing((issue for issue in unmatched_issues if results[0].result.tool not in issue.tools), results)
            for results in unmatched
            if results
        ]

    def create_new_problems(self) -> None:
        """Make a new problem of each result that matches no issue; other tools' results may join it."""
        problems = _Problems(self._results_by_issue.values())
        for result in (result for pairing in self._pairings for result in pairing.results):
            if not problems.try_to_join(result):
                self.new.append([result])
                problems.add(self.new[-1])

    def list_sightings(self) -> Iterator[IssueSighting]:
        for issue in self._issues:
            results = self._results_by_issue.get(issue.id, ())
            for result in sorted(results, key=lambda located: located.result.tool != issue.tools[0]):
                yield IssueSighting(issue.id, result)


class _Problems:
    """The problems that this report has in one group, each with its results, by line and text."""

    def __init__(self, problems: Iterable[list[LocatedResult]]) -> None:
        self._problems: dict[tuple[int, bytes], list[list[LocatedResult]]] = {}
        self._positions: dict[tuple[int, bytes, str], int] = {}
        """Number of leading problems, by line, text and tool, that already have a result of the tool."""
        for results in problems:
            self.add(results)

    def add(self, problem: list[LocatedResult]) -> None:
        self._problems.setdefault((problem[0].result.line, problem[0].line_digest), []).append(problem)

    def try_to_join(self, result: LocatedResult) -> bool:
        """Join the result to a problem that its tool has not reported; return False if there is none.

        Two results of one tool are two problems.
        """
        line, digest, tool = result.result.line, result.line_digest, result.result.tool
        problems = self._problems.get((line, digest), [])
        index = self._positions.get((line, digest, tool), 0)
        while index < len(problems) and any(other.result.tool == tool for other in problems[index]):
            index += 1
        self._positions[line, digest, tool] = index
        if index == len(problems):
            return False
        problems[index].append(result)
        return True


class _Fingerprints:
    """Permanent and unique fingerprints, even for results that look alike in one file."""

    def __init__(self, used: set[str]) -> None:
        self._used = used
        self._ordinals: dict[tuple[str, str, bytes], int] = {}

    def make(self, result: LocatedResult) -> str:
        look = result.path, result.concept, result.context_digests
        ordinal = self._ordinals.get(look, 0)
        while (name := make_fingerprint(result, ordinal)) in self._used:
            ordinal += 1
        self._ordinals[look] = ordinal + 1
        return name


def _match_file(groups: Sequence[_Group]) -> None:
    pairs = _pair_by_signs(groups, SAME_TOOL, [])
    for group in groups:
        group.match_across_tools()
    _pair_by_signs(groups, ANOTHER_TOOL, pairs)
    for group in groups:
        group.create_new_problems()


def _pair_by_signs(groups: Sequence[_Group], signs: Iterable[Sign], pairs: list[Pair]) -> list[Pair]:
    """Pair by each sign in turn. Pairs of stronger signs show how far lines have moved."""
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


def _make_sort_key(located: LocatedResult) -> tuple[str, str, int, int, str, str, str]:
    """Return the order of results; equal keys are an exact repeat."""
    return located.path, located.concept, *_make_reading_key(located)[1:]


def _make_reading_key(located: LocatedResult) -> tuple[str, int, int, str, str, str]:
    result = located.result
    return located.path, result.line, result.column, result.tool, result.rule, result.message
