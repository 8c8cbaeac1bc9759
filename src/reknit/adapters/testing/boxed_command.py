"""A test command as it is started in a box: with the chosen tests, the files that match, and our own programs."""

import base64
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from reknit.adapters.testing.report_files import find_reports
from reknit.adapters.testing.result_stream import source_of
from reknit.core.box import BoxView, Command, CommandLimits
from reknit.core.testing.command import (
    GLOB_WORD,
    NODE_REPORTER_WORD,
    STDOUT_WORD,
    UNITTEST_WORD,
    TestCommand,
)
from reknit.core.testing.selection import argv_for
from reknit.core.testing.services import chosen_tests, is_about_services

PRINTED_REPORT_BYTES = 64_000_000
"""Of a runner whose output is its report."""
HASH_SEED = {"PYTHONHASHSEED": "1"}
"""Ids of tests that are made from a set are the same in every run. Not 0, which `sys.flags` would tell."""
_ENV = {"PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1", **HASH_SEED}
_SEEDED_WORDS = {"-shuffle=on": "-shuffle=1"}
"""Go's words for a random order of the tests -> the same order in every run."""


def boxed(command: TestCommand, view: BoxView, only: Sequence[str], outbox: str, wall_s: float) -> Command:
    place = str(Path(view.tree, command.folder))
    argv = ("true",) if is_about_services(command, only) else argv_for(command, chosen_tests(command, only))
    program, *arguments = (word for part in argv for word in _words(part, place))
    limits = CommandLimits(wall_s=wall_s, idle_s=wall_s)
    if command.report == STDOUT_WORD:
        limits = CommandLimits(wall_s=wall_s, idle_s=wall_s, output_bytes=PRINTED_REPORT_BYTES)
    return Command(
        argv=(interpreter(view) if program == "python" else program, *arguments),
        env=_ENV | dict(command.env),
        outbox=outbox,
        limits=limits,
        folder=command.folder,
        needs_services=True,
    )


def _words(word: str, place: str) -> Iterator[str]:
    if word == UNITTEST_WORD:
        yield source_of("unittest_wrapper.py")
    elif word.startswith(GLOB_WORD):
        glob = word.removeprefix(GLOB_WORD)
        found = sorted(entry.path for entry in find_reports(place, glob.removeprefix("./")))
        yield from (f"./{path}" if path.startswith("-") else path for path in found or [glob])
    elif NODE_REPORTER_WORD in word:
        encoded = base64.b64encode(source_of("node_reporter.mjs").encode()).decode()
        yield word.replace(NODE_REPORTER_WORD, f"data:text/javascript;base64,{encoded}")
    else:
        yield _SEEDED_WORDS.get(word, word)


def interpreter(view: BoxView) -> str:
    """If the repository has no virtual environment, the system may have no `python`."""
    places = (Path(view.repository, folder, "bin", "python") for folder in (".venv", "venv"))
    return "python" if any(os.path.lexists(place) for place in places) else "python3"
