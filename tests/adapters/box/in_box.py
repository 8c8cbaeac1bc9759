"""Runs one command in a real box."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.core.box import BoxView, Command, CommandLimits, CommandResult

LIMITS = CommandLimits(wall_s=60, idle_s=60)


def in_box(
    view: BoxView, *argv: str, box: Bubblewrap | None = None, outbox: str = "", show: tuple[str, ...] = ()
) -> CommandResult:
    command = Command(argv=argv, outbox=outbox, show=show, limits=LIMITS)
    return asyncio.run((box or Bubblewrap()).run(view, command))


def said(view: BoxView, *argv: str, box: Bubblewrap | None = None, show: tuple[str, ...] = ()) -> str:
    """Its stdout; it must have succeeded."""
    ended = in_box(view, *argv, box=box, show=show)
    assert ended.exit_code == 0, ended.stderr.decode()
    return ended.stdout.decode()


def write(files: Mapping[str, str], below: str) -> None:
    for rel, text in files.items():
        Path(below, rel).parent.mkdir(parents=True, exist_ok=True)
        Path(below, rel).write_text(text)
