"""go, cargo, Maven and Gradle, with reports and selection."""

from reknit.core.testing.command import STDOUT_WORD, WHOLE_WORD, TestCommand
from reknit.core.testing.runners.call import RunnerCall, without

_GO_VALUES = frozenset(
    {
        "-run", "-bench", "-count", "-cpu", "-parallel", "-timeout", "-tags", "-ldflags", "-gcflags", "-mod", "-p",
        "-skip", "-shuffle", "-exec", "-o", "-overlay", "-fuzz", "-fuzztime", "-benchtime",
    }
)  # fmt: skip
"""Options of `go test` whose value may be the next word."""


def go(call: RunnerCall) -> TestCommand:
    """`call.start`: `go test`."""
    dropped = ("-json", "-v", "-failfast", "-cover", "-c")
    arguments = without(call.arguments, dropped, ("-coverprofile", "-covermode", "-coverpkg"))
    options: list[str] = []
    packages: list[str] = []
    for word in arguments:
        is_value = bool(options) and not packages and options[-1] in _GO_VALUES
        (options if word.startswith("-") or is_value else packages).append(word)
    argv = (*call.start, "-json", *options, *(f"{WHOLE_WORD}{word}" for word in packages))
    return _printed("go", argv, ("-run={tests}", "{package}"), call)


def cargo(call: RunnerCall) -> TestCommand:
    """`call.start`: `cargo test`."""
    own, _, harness = _divided(call.arguments)
    kept = without(own, ("--no-fail-fast", "--offline", "-q", "--quiet", "--no-run"), ("--message-format",))
    ours = ("--offline", "--no-fail-fast", "--message-format=json")
    quiet = without(harness, ("--nocapture", "--no-capture", "-q", "--quiet"), ("--format",))
    return _printed("cargo", (*call.start, *kept, *ours, "--", *quiet), ("{match}", "{name}"), call)


def maven(call: RunnerCall) -> TestCommand:
    report = "**/target/surefire-reports/*.xml"
    select = ("-Dtest={methods}", "-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false")
    argv = (*call.start, *call.arguments)
    return TestCommand("maven", argv, "junit", report, select, call.origin, call.env, typed=call.typed)


def gradle(call: RunnerCall) -> TestCommand:
    report = "**/build/test-results/**/*.xml"
    argv = (*call.start, *call.arguments)
    return TestCommand("gradle", argv, "junit", report, ("--tests={method}",), call.origin, call.env, typed=call.typed)


def _printed(runner: str, argv: tuple[str, ...], select: tuple[str, ...], call: RunnerCall) -> TestCommand:
    return TestCommand(
        runner,
        argv,
        "report",
        STDOUT_WORD,
        select,
        call.origin,
        call.env,
        report_format="go" if runner == "go" else "cargo",
        typed=call.typed,
    )


def _divided(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at : at + 1], words[at + 1 :]
