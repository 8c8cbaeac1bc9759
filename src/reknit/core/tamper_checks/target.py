"""Chooses the tests that the checks look at: a few of those that turned green."""

from collections.abc import Collection, Mapping, Sequence

from reknit.core.tamper_checks.checks import TargetTest
from reknit.core.tamper_checks.names import Names

MOST_TARGETS = 12


def chosen_targets(tests: Sequence[str], asked: Collection[str], names: Names) -> tuple[str, ...]:
    """All of them; or some that nobody can foresee, those that the attempt was about first.

    `names`: of the whole run, so that a change that was refused is not judged by other tests the next time.
    """
    if len(tests) <= MOST_TARGETS:
        return tuple(tests)
    drawn = sorted(tests, key=lambda test: (test not in asked, names.choice(f"target {test}", 1 << 30)))
    return tuple(sorted(drawn[:MOST_TARGETS]))


def targets_of(tests: Sequence[str], files: Mapping[str, str], failures: Mapping[str, str]) -> tuple[TargetTest, ...]:
    return tuple(TargetTest(test, files.get(test) or test.partition("::")[0], failures.get(test, "")) for test in tests)
