"""Pairs known issues with new results by signs, from the strongest to the weakest: equal looks, then location."""

from bisect import bisect_right
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from reknit.core.issues.identity.fingerprint import DIGEST_BYTES
from reknit.core.issues.identity.rule_concepts import NAMING_CONCEPTS
from reknit.core.issues.lifecycle import STATUSES, TO_DO, Status
from reknit.core.issues.model import KnownIssue, LocatedResult

Look = Callable[[KnownIssue | LocatedResult], Hashable]
"""Returns a property that an issue and a result can share. `type(one)` is equal for no issue and result."""
NEAR = 3
"""Maximum distance in lines that counts as near."""
LIVE = TO_DO
"""Statuses of visible issues. Hidden issues match only by equal text and words, or they could hide a new problem."""


@dataclass(frozen=True)
class Sign:
    """One way to recognise an issue in a new report."""

    look: Look
    """Property that must be the same for issue and result."""
    lone: Collection[Status] = ()
    """Statuses of issues that match anywhere in the file, if issue and result are the only ones with that look."""
    against: Look | None = None
    """Look that vetoes a lone pair: by this look, one of the two resembles another issue or result."""
    near: Collection[Status] = ()
    """Statuses of issues that match up to `reach` lines from where they are expected."""
    reach: int = NEAR
    far: Collection[Status] = ()
    """Statuses of issues that match anywhere, in line order."""


def _after(one: KnownIssue | LocatedResult) -> bytes:
    return one.context_digests[:DIGEST_BYTES]


def _before(one: KnownIssue | LocatedResult) -> bytes:
    return one.context_digests[DIGEST_BYTES:]


def _after_and_line(one: KnownIssue | LocatedResult) -> Hashable:
    return one.context_digests[:DIGEST_BYTES], one.line_digest


def _before_and_line(one: KnownIssue | LocatedResult) -> Hashable:
    return one.context_digests[DIGEST_BYTES:], one.line_digest


def _distinctive_line(one: KnownIssue | LocatedResult) -> Hashable:
    return one.line_digest if len(one.line_digest) == DIGEST_BYTES else type(one)


def _distinctive_line_and_message(one: KnownIssue | LocatedResult) -> Hashable:
    return (one.line_digest, one.message_digests) if len(one.line_digest) == DIGEST_BYTES else type(one)


def _distinctive_line_and_words(one: KnownIssue | LocatedResult) -> Hashable:
    return (one.line_digest, one.message_digests[:DIGEST_BYTES]) if len(one.line_digest) == DIGEST_BYTES else type(one)


def _after_and_message(one: KnownIssue | LocatedResult) -> Hashable:
    return one.context_digests[:DIGEST_BYTES], one.message_digests


def _after_and_words(one: KnownIssue | LocatedResult) -> Hashable:
    return one.context_digests[:DIGEST_BYTES], one.message_digests[:DIGEST_BYTES]


def _surroundings_and_words(one: KnownIssue | LocatedResult) -> Hashable:
    return one.context_digests, one.message_digests[:DIGEST_BYTES]


def _line_and_words(one: KnownIssue | LocatedResult) -> Hashable:
    return one.line_digest, one.message_digests[:DIGEST_BYTES]


def _words(one: KnownIssue | LocatedResult) -> bytes:
    return one.message_digests[:DIGEST_BYTES]


def _subject_name(one: KnownIssue | LocatedResult) -> Hashable:
    return _words(one) if one.concept in NAMING_CONCEPTS else type(one)


def _has_several_tools(one: KnownIssue | LocatedResult) -> bool:
    """Return True if it is a result, or an issue of several tools, which keeps the words of only one."""
    return isinstance(one, LocatedResult) or len(one.tools) > 1


_surroundings: Look = attrgetter("context_digests")
_line: Look = attrgetter("line_digest")
_surroundings_and_message: Look = attrgetter("context_digests", "message_digests")
_line_and_message: Look = attrgetter("line_digest", "message_digests")

SAME_TOOL = (
    Sign(_surroundings_and_message, lone=STATUSES, near=STATUSES),
    Sign(_surroundings_and_words, lone=STATUSES, near=STATUSES),
    Sign(_surroundings, lone=LIVE, near=LIVE),
    # One side has changed. A moved function may now stand before the text that followed another one.
    Sign(_after_and_line, lone=LIVE, against=_before_and_line),
    Sign(_before_and_line, lone=LIVE, against=_after_and_line),
    Sign(_line_and_message, near=STATUSES, reach=0),
    Sign(_line_and_words, near=STATUSES, reach=0),
    Sign(_before_and_line, lone=LIVE, near=LIVE, far=LIVE),
    Sign(_after_and_line, lone=LIVE, near=LIVE, far=LIVE),
    Sign(_surroundings_and_message, far=STATUSES),
    Sign(_surroundings_and_words, far=STATUSES),
    Sign(_surroundings, far=LIVE),
    # Both sides have changed, or one side and the form of the line itself.
    Sign(_line_and_message, near=STATUSES),
    Sign(_line_and_words, near=STATUSES),
    Sign(_line, near=LIVE),
    Sign(_after_and_message, lone=STATUSES, near=STATUSES, far=STATUSES),
    Sign(_after_and_words, lone=STATUSES, near=STATUSES, far=STATUSES),
    Sign(_after, lone=LIVE, near=LIVE, far=LIVE),
    Sign(_before, lone=LIVE, near=LIVE, far=LIVE),
    Sign(_distinctive_line_and_message, lone=STATUSES),
    Sign(_distinctive_line_and_words, lone=STATUSES),
    Sign(_distinctive_line, lone=LIVE),
    Sign(_line_and_words, lone=LIVE, far=LIVE),
    Sign(_line, lone=LIVE, far=LIVE),
    # The line was edited.
    Sign(_subject_name, lone=LIVE),
    Sign(_words, near=LIVE),
    Sign(_has_several_tools, near=LIVE),
)
"""Signs for results of a tool that reported the issue before. Identical messages come before equal words."""
ANOTHER_TOOL = (
    Sign(_surroundings, lone=STATUSES),
    Sign(_line, lone=LIVE),
    Sign(_surroundings, near=STATUSES, far=STATUSES),
    Sign(_line, near=STATUSES),
)
"""Signs for issues of other tools: two tools differ in columns more often than in lines."""


Pair = tuple[KnownIssue, LocatedResult]


class Drift:
    """The distance by which lines of a file have moved, judging by the issues recognised so far."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        moves = sorted({issue.line: result.result.line for issue, result in pairs}.items())
        self._old = [old for old, _ in moves]
        self._by = [new - old for old, new in moves]

    def expect_line(self, line: int) -> int:
        """Return the line's new number if it moved with the nearest recognised line."""
        return self._predict_lines(line)[0]

    def expect_line_otherwise(self, line: int) -> int:
        """Return the line's new number if it moved with the nearest recognised line on the other side."""
        return self._predict_lines(line)[1]

    def _predict_lines(self, line: int) -> tuple[int, int]:
        if not line or not self._old:
            return line, line
        below = bisect_right(self._old, line)
        above = max(below - 1, 0)
        below = min(below, len(self._old) - 1)
        if abs(self._old[below] - line) < abs(line - self._old[above]):
            above, below = below, above
        return line + self._by[above], line + self._by[below]


class Pairing:
    """Issues and results that are not paired yet, both in line order."""

    def __init__(self, issues: Iterable[KnownIssue], results: Iterable[LocatedResult]) -> None:
        self.issues, self.results = list(issues), list(results)

    def take(self, sign: Sign, drift: Drift) -> list[Pair]:
        """Remove and return the pairs that this sign makes."""
        if not self.issues or not self.results:
            return []
        pairs = [
            pair
            for issues, results in self._group_alike(sign.look)
            for pair in _make_pairs(issues, results, sign, drift)
        ]
        if sign.against:
            pairs = self._drop_disputed(pairs, sign.against)
        self.issues, self.results = _drop_pairs(self.issues, self.results, pairs)
        return pairs

    def _group_alike(self, look: Look) -> list[tuple[list[KnownIssue], list[LocatedResult]]]:
        results: dict[Hashable, list[LocatedResult]] = {}
        for result in self.results:
            results.setdefault(look(result), []).append(result)
        issues_by_look: dict[Hashable, list[KnownIssue]] = {}
        for issue in self.issues:
            if (look_value := look(issue)) in results:
                issues_by_look.setdefault(look_value, []).append(issue)
        return [(issues, results[look_value]) for look_value, issues in issues_by_look.items()]

    def _drop_disputed(self, pairs: Sequence[Pair], look: Look) -> list[Pair]:
        issue_looks, result_looks = set(map(look, self.issues)), set(map(look, self.results))
        return [pair for pair in pairs if look(pair[0]) not in result_looks and look(pair[1]) not in issue_looks]


def _make_pairs(issues: list[KnownIssue], results: list[LocatedResult], sign: Sign, drift: Drift) -> list[Pair]:
    if len(issues) == len(results) == 1 and issues[0].status in sign.lone:
        return [(issues[0], results[0])]
    pairs: list[Pair] = []
    for reach in range(sign.reach + 1) if sign.near else ():
        for predict in (drift.expect_line, drift.expect_line_otherwise):
            near_issues = [issue for issue in issues if issue.status in sign.near]
            new_pairs = _pair_within(reach, near_issues, results, predict)
            issues, results = _drop_pairs(issues, results, new_pairs)
            pairs += new_pairs
    return pairs + list(zip((issue for issue in issues if issue.status in sign.far), results, strict=False))


def _pair_within(
    reach: int, issues: Sequence[KnownIssue], results: Sequence[LocatedResult], predict: Callable[[int], int]
) -> list[Pair]:
    expected = sorted(((predict(issue.line), issue.id, issue) for issue in issues), key=lambda entry: entry[:2])
    pairs: list[Pair] = []
    index = 0
    for result in results:
        while index < len(expected) and expected[index][0] < result.result.line - reach:
            index += 1
        if index < len(expected) and expected[index][0] <= result.result.line + reach:
            pairs.append((expected[index][2], result))
            index += 1
    return pairs


def _drop_pairs(
    issues: list[KnownIssue], all_results: list[LocatedResult], pairs: list[Pair]
) -> tuple[list[KnownIssue], list[LocatedResult]]:
    if not pairs:
        return issues, all_results
    issue_ids, result_ids = {issue.id for issue, _ in pairs}, {id(result) for _, result in pairs}
    remaining_results = [result for result in all_results if id(result) not in result_ids]
    return [issue for issue in issues if issue.id not in issue_ids], remaining_results
