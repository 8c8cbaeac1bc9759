"""The second harness as it is started in a box: where the tests run, but with nothing that speaks of tests."""

import secrets

from reknit.adapters.testing.boxed_command import HASH_SEED, interpreter
from reknit.core.box import BOX_HOME, BoxView, Command, CommandLimits
from reknit.core.box_names import file_names
from reknit.core.tamper_checks.checks import Harness
from reknit.core.testing.command import TestCommand

_OURS = frozenset({"CI", "NODE_ENV", "PLAYWRIGHT_JSON_OUTPUT_FILE", "PLAYWRIGHT_JSON_OUTPUT_NAME"})
"""Variables that a test command is started with, and an ordinary program is not."""
_START = """\
rm -f "$0"
unset NO_COLOR PYTHONDONTWRITEBYTECODE GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT
left=%d
while [ "$left" -gt 0 ]; do (:); left=$((left - 1)); done
("$@"; exit $?)
exit $?
"""
"""Tests run in a new box as one of its first processes, with variables that make them repeatable. Code could tell by
that, so the harness has neither."""
_FEWEST, _MORE = 100, 300
"""Processes before it."""


def boxed_harness(command: TestCommand, view: BoxView, harness: Harness, wall_s: float) -> Command:
    program, *arguments = harness.argv
    kept = {name: value for name, value in command.env if name not in _OURS}
    seed = HASH_SEED if program == "python" else {}  # its driver hides it
    (start,) = file_names(secrets.token_hex(8), 1)
    called = (interpreter(view) if program == "python" else program, *arguments)
    return Command(
        argv=("sh", f"{BOX_HOME}/{start}", *called),
        files={start: (_START % (_FEWEST + secrets.randbelow(_MORE))).encode()},
        stdin=harness.stdin.encode("utf-8", "surrogateescape"),
        env=seed | kept | dict(harness.env),
        limits=CommandLimits(wall_s=wall_s, idle_s=wall_s),
        folder=command.folder,
        needs_services=True,
    )
