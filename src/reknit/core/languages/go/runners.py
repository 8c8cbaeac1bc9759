"""Builds the command of `go test`, with reports and selection."""

import posixpath
from collections.abc import Iterator, Sequence

from reknit.core.testing.command import (
    STDOUT_WORD,
    WHOLE_WORD,
    Files,
    RunnerCall,
    TestCommand,
    drop_options,
    split_runner_call,
)

_GO_VALUES = frozenset(
    {
        "-run", "-bench", "-count", "-cpu", "-parallel", "-timeout", "-tags", "-ldflags", "-gcflags", "-mod", "-p",
        "-skip", "-shuffle", "-exec", "-o", "-overlay", "-fuzz", "-fuzztime", "-benchtime",
    }
)  # fmt: skip
"""Options of `go test` whose value may be the next word."""


def make_go_command(call: RunnerCall) -> TestCommand:
    """Return the command of `go test`. `call.start`: `go test`."""
    dropped = ("-json", "-v", "-failfast", "-cover", "-c")
    arguments = drop_options(call.arguments, dropped, ("-coverprofile", "-covermode", "-coverpkg"))
    options: list[str] = []
    packages: list[str] = []
    for word in arguments:
        is_value = bool(options) and not packages and options[-1] in _GO_VALUES
        (options if word.startswith("-") or is_value else packages).append(word)
    argv = (*call.start, "-json", *options, *(f"{WHOLE_WORD}{word}" for word in packages))
    select = ("-run={tests}", "{package}")
    return TestCommand(
        "go", argv, "report", STDOUT_WORD, select, call.origin, call.env, report_format="go", typed=call.typed
    )


def find(files: Files) -> Iterator[TestCommand]:
    """Yield the test command of a project."""
    if "go.mod" in files:
        yield make_go_command(RunnerCall(("go", "test"), ("./...",), "go.mod"))


def parse_command(words: Sequence[str], origin: str, env: tuple[tuple[str, str], ...]) -> TestCommand | None:
    """Return the command with reports and selection; None if it is not `go test`."""
    is_test = posixpath.basename(words[0]) == "go" and words[1:2] == ("test",)
    return make_go_command(split_runner_call(words, 2, origin, env)) if is_test else None
