"""The workers that reknit started in the background, by their state folder."""

import contextlib
import os
from pathlib import Path

from tests.tools.command_line import CommandLine


def workers(reknit: CommandLine) -> list[int]:
    """A pidfd for each worker on this state folder, which is ready to read once it has ended."""
    found, mark = [], f"REKNIT_STATE={reknit.environment['REKNIT_STATE']}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words, variables = ((process / name).read_bytes().split(b"\0") for name in ("cmdline", "environ"))
            if b"--until-idle" in words and mark in variables:
                found.append(os.pidfd_open(int(process.name)))
    return found
