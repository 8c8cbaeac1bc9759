"""Runs a test command whose results are streamed by a reporter of ours."""

import importlib.resources
import secrets
from dataclasses import replace

from reknit.core.box import BoxView, Command, CommandResult
from reknit.core.testing.streams.reporters import StreamingCommand
from reknit.ports.box import Box


async def run_with_reporter(
    box: Box, view: BoxView, made: StreamingCommand, started: Command, plain: Command
) -> tuple[CommandResult, str]:
    """How it ended, and the key of the results that it streamed.

    The key is empty if its runner could not load the reporter: then `plain` was run, which leaves a report.
    """
    key = secrets.token_hex(16)
    files = {**started.files, made.path: source_of(made.source).encode()}
    ended = await box.run(view, replace(started, files=files, stream_key=key))
    if _is_without_reporter(ended, made):
        return await box.run(view, plain), ""
    return ended, key


def _is_without_reporter(ended: CommandResult, made: StreamingCommand) -> bool:
    """The runner says that it could not load it, so no test was run.

    Tested code cannot bring this about: a reporter that was loaded has written to the stream before any of it runs.
    """
    name = made.path.rpartition("/")[2].partition(".")[0].encode()
    is_named = name in ended.stdout or name in ended.stderr
    return ended.reason == "exit" and ended.exit_code != 0 and not ended.stream and is_named


def source_of(name: str) -> str:
    return importlib.resources.files("reknit.adapters.testing").joinpath(name).read_text("utf-8")
