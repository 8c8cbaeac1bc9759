"""Builds the command of `cargo test`, with reports and selection."""

import posixpath
from collections.abc import Iterator, Sequence

from reknit.core.testing.command import STDOUT_WORD, Files, RunnerCall, TestCommand, drop_options, split_runner_call


def make_cargo_command(call: RunnerCall) -> TestCommand:
    """Return the command of `cargo test`. `call.start`: `cargo test`."""
    own, _, harness = _divide_arguments(call.arguments)
    cargo_options = drop_options(
        own, ("--no-fail-fast", "--offline", "-q", "--quiet", "--no-run"), ("--message-format",)
    )
    ours = ("--offline", "--no-fail-fast", "--message-format=json")
    quiet = drop_options(harness, ("--nocapture", "--no-capture", "-q", "--quiet"), ("--format",))
    argv, select = (*call.start, *cargo_options, *ours, "--", *quiet), ("{match}", "{name}")
    return TestCommand(
        "cargo", argv, "report", STDOUT_WORD, select, call.origin, call.env, report_format="cargo", typed=call.typed
    )


def find(files: Files) -> Iterator[TestCommand]:
    """Yield the test command of a project."""
    if "Cargo.toml" in files:
        yield make_cargo_command(RunnerCall(("cargo", "test"), (), "Cargo.toml"))


def parse_command(words: Sequence[str], origin: str, env: tuple[tuple[str, str], ...]) -> TestCommand | None:
    """Return the command with reports and selection; None if it is not `cargo test`."""
    is_test = posixpath.basename(words[0]) == "cargo" and words[1:2] == ("test",)
    return make_cargo_command(split_runner_call(words, 2, origin, env)) if is_test else None


def _divide_arguments(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at : at + 1], words[at + 1 :]
