"""Chooses the tests that the checks look at: a few of those that turned green."""

from collections.abc import Mapping, Sequence

from reknit.core.tamper_checks.checks import TargetTest
from reknit.core.tamper_checks.names import Names

MOST_TARGETS = 12


def chosen_targets(
    tests: Sequence[str], files: Mapping[str, str], failures: Mapping[str, str], names: Names
) -> tuple[TargetTest, ...]:
    """All of them, or some that nobody can foresee."""
    if len(tests) > MOST_TARGETS:
        tests = sorted(sorted(tests, key=lambda test: names.choice(f"target {test}", 1 << 30))[:MOST_TARGETS])
    return tuple(TargetTest(test, files.get(test) or test.partition("::")[0], failures.get(test, "")) for test in tests)
