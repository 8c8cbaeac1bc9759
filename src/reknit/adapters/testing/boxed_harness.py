"""The second harness as it is started in a box: where the tests run, but with nothing that speaks of tests."""

from reknit.adapters.testing.boxed_command import interpreter
from reknit.core.box import BoxView, Command, CommandLimits
from reknit.core.tamper_checks.checks import Harness
from reknit.core.testing.command import TestCommand

_OURS = frozenset({"CI", "NODE_ENV", "PLAYWRIGHT_JSON_OUTPUT_FILE", "PLAYWRIGHT_JSON_OUTPUT_NAME"})
"""Variables that a test command is started with, and an ordinary program is not."""


def boxed_harness(command: TestCommand, view: BoxView, harness: Harness, wall_s: float) -> Command:
    program, *arguments = harness.argv
    kept = {name: value for name, value in command.env if name not in _OURS}
    return Command(
        argv=(interpreter(view) if program == "python" else program, *arguments),
        stdin=harness.stdin.encode("utf-8", "surrogateescape"),
        env=kept | dict(harness.env),
        limits=CommandLimits(wall_s=wall_s, idle_s=wall_s),
        folder=command.folder,
        needs_services=True,
    )
