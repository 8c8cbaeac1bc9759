"""Makes the commands that run in a box: the tests, with or without our reporter, and the second harness."""

import base64
import importlib.resources
import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from reknit.adapters.testing.report_files import find_reports
from reknit.core.box import BOX_HOME, BoxView, Command, CommandLimits, CommandResult
from reknit.core.box_names import make_file_names
from reknit.core.tamper_checks.checks import Harness
from reknit.core.testing.command import GLOB_WORD, NODE_REPORTER_WORD, STDOUT_WORD, UNITTEST_WORD, TestCommand
from reknit.core.testing.reporters import StreamingCommand
from reknit.core.testing.selection import build_argv
from reknit.core.testing.status import are_only_services, drop_service_ids
from reknit.ports.box import Box


async def run_with_reporter(
    box: Box, view: BoxView, streaming: StreamingCommand, started: Command, plain: Command
) -> tuple[CommandResult, str]:
    """Run the tests with a reporter. Return the result, and the key of the results that it streamed.

    If the runner cannot load the reporter, run `plain`, which leaves a report, and return an empty key.
    """
    key = secrets.token_hex(16)
    files = {**started.files, streaming.path: read_source(streaming.source).encode()}
    result = await box.run(view, replace(started, files=files, stream_key=key))
    if _is_without_reporter(result, streaming):
        return await box.run(view, plain), ""
    return result, key


def _is_without_reporter(result: CommandResult, streaming: StreamingCommand) -> bool:
    """Return True if the runner could not load the reporter, so that no test was run.

    Tested code cannot cause this: a reporter writes to the stream when it is loaded, before any test.
    """
    name = streaming.path.rpartition("/")[2].partition(".")[0].encode()
    names_reporter = name in result.stdout or name in result.stderr
    return result.reason == "exit" and result.exit_code != 0 and not result.stream and names_reporter


def read_source(name: str) -> str:
    """Return the source of a reporter as one self-contained program: with the shared sender in front of it."""
    folder = importlib.resources.files("reknit.adapters.testing")
    sender = "result_sender.py" if name.endswith(".py") else "result_sender.js"
    return folder.joinpath(sender).read_text("utf-8") + folder.joinpath(name).read_text("utf-8")


PRINTED_REPORT_BYTES = 64_000_000
"""Limit for a runner whose output is its report."""
HASH_SEED = {"PYTHONHASHSEED": "1"}
"""Keeps test ids that come from a set the same in every run. Not 0, which tests can see in `sys.flags`."""
_ENV = {"PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1", **HASH_SEED}
_SEEDED_WORDS = {"-shuffle=on": "-shuffle=1"}
"""Go's option for a random order -> the option for the same order in every run."""


def make_test_command(command: TestCommand, view: BoxView, only: Sequence[str], outbox: str, wall_s: float) -> Command:
    """Return the test command for a box."""
    place = str(Path(view.tree, command.folder))
    argv = ("true",) if are_only_services(command, only) else build_argv(command, drop_service_ids(command, only))
    program, *arguments = (word for part in argv for word in _expand_word(part, place))
    limits = CommandLimits(wall_s=wall_s, idle_s=wall_s)
    if command.report == STDOUT_WORD:
        limits = CommandLimits(wall_s=wall_s, idle_s=wall_s, output_bytes=PRINTED_REPORT_BYTES)
    return Command(
        argv=(choose_interpreter(view) if program == "python" else program, *arguments),
        env=_ENV | dict(command.env),
        outbox=outbox,
        limits=limits,
        folder=command.folder,
        needs_services=True,
    )


def _expand_word(word: str, place: str) -> Iterator[str]:
    if word == UNITTEST_WORD:
        yield read_source("unittest_wrapper.py")
    elif word.startswith(GLOB_WORD):
        glob = word.removeprefix(GLOB_WORD)
        paths = sorted(entry.path for entry in find_reports(place, glob.removeprefix("./")))
        yield from (f"./{path}" if path.startswith("-") else path for path in paths or [glob])
    elif NODE_REPORTER_WORD in word:
        encoded = base64.b64encode(read_source("node_reporter.mjs").encode()).decode()
        yield word.replace(NODE_REPORTER_WORD, f"data:text/javascript;base64,{encoded}")
    else:
        yield _SEEDED_WORDS.get(word, word)


def choose_interpreter(view: BoxView) -> str:
    """Return the name of Python: without a virtual environment in the repository, the system may have no `python`."""
    places = (Path(view.repository, folder, "bin", "python") for folder in (".venv", "venv"))
    return "python" if any(os.path.lexists(place) for place in places) else "python3"


_OURS = frozenset({"CI", "NODE_ENV", "PLAYWRIGHT_JSON_OUTPUT_FILE", "PLAYWRIGHT_JSON_OUTPUT_NAME"})
"""Variables that show a program that it runs in a test."""
_START = """\
rm -f "$0"
unset NO_COLOR PYTHONDONTWRITEBYTECODE GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT
left=%d
while [ "$left" -gt 0 ]; do (:); left=$((left - 1)); done
("$@"; exit $?)
exit $?
"""
"""Script that hides signs of a test run: our variables, and low process numbers, which show that the box is new."""
_FEWEST, _MORE = 100, 300
"""Number of processes that are started before the harness: the minimum, and the random part."""


def make_harness_command(command: TestCommand, view: BoxView, harness: Harness, wall_s: float) -> Command:
    """Return the command of the second harness, which runs where the tests run but shows no sign of them."""
    program, *arguments = harness.argv
    variables = {name: value for name, value in command.env if name not in _OURS}
    seed = HASH_SEED if program == "python" else {}  # the driver of the harness hides it
    (start,) = make_file_names(secrets.token_hex(8), 1)
    inner = (choose_interpreter(view) if program == "python" else program, *arguments)
    return Command(
        argv=("sh", f"{BOX_HOME}/{start}", *inner),
        files={start: (_START % (_FEWEST + secrets.randbelow(_MORE))).encode()},
        stdin=harness.stdin.encode("utf-8", "surrogateescape"),
        env=seed | variables | dict(harness.env),
        limits=CommandLimits(wall_s=wall_s, idle_s=wall_s),
        folder=command.folder,
        needs_services=True,
    )
