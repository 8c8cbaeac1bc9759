"""Pairs known issues with new results: by equal looks, and among those that look alike by location."""

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Sequence

from reknit.core.issues.identity.signs import Look, Sign
from reknit.core.issues.model import KnownIssue, LocatedResult

Pair = tuple[KnownIssue, LocatedResult]


class Drift:
    """How far the lines of one file have moved, judging by what was recognised so far."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        moved = sorted({known.line: found.found.line for known, found in pairs}.items())
        self._old = [old for old, _ in moved]
        self._by = [new - old for old, new in moved]

    def expected(self, line: int) -> int:
        """Where that line is now if it moved with the nearest recognised line."""
        return self._moved(line)[0]

    def otherwise(self, line: int) -> int:
        """Where it is if it moved with the nearest recognised line on the other side."""
        return self._moved(line)[1]

    def _moved(self, line: int) -> tuple[int, int]:
        if not line or not self._old:
            return line, line
        below = bisect_right(self._old, line)
        above = max(below - 1, 0)
        below = min(below, len(self._old) - 1)
        if abs(self._old[below] - line) < abs(line - self._old[above]):
            above, below = below, above
        return line + self._by[above], line + self._by[below]


class Pairing:
    """Issues and results that are not paired yet; both in line order."""

    def __init__(self, known: Iterable[KnownIssue], found: Iterable[LocatedResult]) -> None:
        self.known, self.found = list(known), list(found)

    def take(self, sign: Sign, drift: Drift) -> list[Pair]:
        """Removes and returns the pairs that this sign makes."""
        if not self.known or not self.found:
            return []
        pairs = [pair for known, found in self._alike(sign.look) for pair in _pairs(known, found, sign, drift)]
        if sign.against:
            pairs = self._undisputed(pairs, sign.against)
        self.known, self.found = _without(self.known, self.found, pairs)
        return pairs

    def _alike(self, look: Look) -> list[tuple[list[KnownIssue], list[LocatedResult]]]:
        found: dict[Hashable, list[LocatedResult]] = {}
        for result in self.found:
            found.setdefault(look(result), []).append(result)
        known: dict[Hashable, list[KnownIssue]] = {}
        for issue in self.known:
            if (shown := look(issue)) in found:
                known.setdefault(shown, []).append(issue)
        return [(issues, found[shown]) for shown, issues in known.items()]

    def _undisputed(self, pairs: Sequence[Pair], look: Look) -> list[Pair]:
        known, found = set(map(look, self.known)), set(map(look, self.found))
        return [pair for pair in pairs if look(pair[0]) not in found and look(pair[1]) not in known]


def _pairs(known: list[KnownIssue], found: list[LocatedResult], sign: Sign, drift: Drift) -> list[Pair]:
    if len(known) == len(found) == 1 and known[0].status in sign.lone:
        return [(known[0], found[0])]
    pairs: list[Pair] = []
    for reach in range(sign.reach + 1) if sign.near else ():
        for where in (drift.expected, drift.otherwise):
            pairs += (reached := _within(reach, [one for one in known if one.status in sign.near], found, where))
            known, found = _without(known, found, reached)
    return pairs + list(zip((issue for issue in known if issue.status in sign.far), found, strict=False))


def _within(
    reach: int, known: Sequence[KnownIssue], found: Sequence[LocatedResult], where: Callable[[int], int]
) -> list[Pair]:
    expected = sorted(((where(issue.line), issue.id, issue) for issue in known), key=lambda entry: entry[:2])
    pairs: list[Pair] = []
    at = 0
    for result in found:
        while at < len(expected) and expected[at][0] < result.found.line - reach:
            at += 1
        if at < len(expected) and expected[at][0] <= result.found.line + reach:
            pairs.append((expected[at][2], result))
            at += 1
    return pairs


def _without(
    known: list[KnownIssue], found: list[LocatedResult], pairs: list[Pair]
) -> tuple[list[KnownIssue], list[LocatedResult]]:
    if not pairs:
        return known, found
    issues, results = {issue.id for issue, _ in pairs}, {id(result) for _, result in pairs}
    return [issue for issue in known if issue.id not in issues], [one for one in found if id(one) not in results]
