"""The checks for the tests that a fix turned green, made by the language of their runner."""

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import replace

from reknit.core.check_answer import CHECKS, CheckName
from reknit.core.tamper_checks.checks import MadeChecks, Targets
from reknit.core.tamper_checks.go import make as go
from reknit.core.tamper_checks.java import make as java
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
    "maven": java.make,
    "gradle": java.make,
}
"""By runner."""


_BY_ENDING = {
    ".py": "pytest",
    **dict.fromkeys((".js", ".cjs", ".mjs", ".ts", ".cts", ".mts"), "node"),
    ".go": "go",
    ".rs": "cargo",
}
"""For a command that a person set: whose tests such a file most likely has."""


def make_checks(targets: Targets, names: Names) -> MadeChecks:
    if maker := MAKERS.get(targets.runner):
        return maker(targets, names)
    why = f"there are none for {targets.runner}"
    endings = {posixpath.splitext(test.file)[1] for test in targets.tests}
    runner = _BY_ENDING.get("".join(endings)) if targets.runner == "command" else None
    if not runner:
        return MadeChecks(why_not=dict.fromkeys(CHECKS, why))
    made = MAKERS[runner](replace(targets, runner=runner), names)
    silent: dict[CheckName, str] = {"canaries": why, "twins": why}
    return MadeChecks(harness=made.harness, why_not={**made.why_not, **silent})
