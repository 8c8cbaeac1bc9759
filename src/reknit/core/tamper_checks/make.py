"""The checks for the tests that a fix turned green, made by the language of their runner."""

from collections.abc import Callable, Mapping

from reknit.core.tamper_checks.checks import MadeChecks, Targets
from reknit.core.tamper_checks.go import make as go
from reknit.core.tamper_checks.javascript import make as javascript
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.python import make as python
from reknit.core.tamper_checks.rust import make as rust

Maker = Callable[[Targets, Names], MadeChecks]
MAKERS: Mapping[str, Maker] = {
    "pytest": python.make,
    "unittest": python.make,
    "django": python.make,
    "go": go.make,
    "node": javascript.make,
    "vitest": javascript.make,
    "jest": javascript.make,
    "mocha": javascript.make,
    "cargo": rust.make,
}
"""By runner."""


def make_checks(targets: Targets, names: Names) -> MadeChecks:
    maker = MAKERS.get(targets.runner)
    if not maker:
        why = f"there are none for {targets.runner}"
        return MadeChecks(why_not={"canaries": why, "twins": why, "second-harness": why})
    return maker(targets, names)
