"""pytest, unittest and Django's test command, with reports and selection."""

from reknit.core.testing.command import UNITTEST_WORD, TestCommand
from reknit.core.testing.runners.call import JUNIT, RunnerCall, without

PYTEST_FLAGS = (
    "--rootdir=.",
    "--continue-on-collection-errors",
    "-p",
    "no:cacheprovider",
    "-o",
    "junit_family=xunit1",
    f"--junitxml={JUNIT}",
)
SELECT = ("{id}",)
WHOLE = ("--maxfail=0",)
"""After the user's own arguments: a suite that stops at its first failure hides the rest."""
NO_THRESHOLD = ("--cov-fail-under=0",)
"""Only where pytest-cov is used, since pytest does not know it otherwise. How much is covered is not our question."""
ONLY = "--pick="
"""Read by `adapters/testing/unittest_wrapper.py`, before each id."""


def pytest(call: RunnerCall, *, has_coverage: bool = False) -> TestCommand:
    arguments = without(call.arguments, (), ("--junitxml", "--junit-xml"))
    has_coverage = has_coverage or any(argument.startswith("--cov") for argument in arguments)
    argv = (*call.start, *PYTEST_FLAGS, *arguments, *WHOLE, *(NO_THRESHOLD if has_coverage else ()))
    return TestCommand("pytest", argv, "junit", JUNIT, SELECT, call.origin, call.env, typed=call.typed)


def unittest(call: RunnerCall) -> TestCommand:
    """`call.start`: `python -m unittest`."""
    return _wrapped("unittest", call, call.start[:-2], ("unittest",), ("-f", "--failfast"))


def django(call: RunnerCall) -> TestCommand:
    """`call.start`: `python manage.py test`."""
    *before, program, verb = call.start
    return _wrapped(
        "django", call, tuple(before), (program, verb, "--noinput"), ("--noinput", "--no-input", "--failfast")
    )


def _wrapped(
    runner: str, call: RunnerCall, python: tuple[str, ...], program: tuple[str, ...], dropped: tuple[str, ...]
) -> TestCommand:
    argv = (*(python or ("python",)), "-c", UNITTEST_WORD, JUNIT, *program, *without(call.arguments, dropped))
    return TestCommand(runner, argv, "junit", JUNIT, (f"{ONLY}{{id}}",), call.origin, call.env, typed=call.typed)
