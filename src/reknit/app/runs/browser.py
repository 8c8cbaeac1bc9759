"""Opens a file in the user's browser."""

import shlex
from collections.abc import Mapping
from pathlib import Path

from reknit.adapters.process import Child, find_program, start_detached

_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


def open_file(path: Path, environment: Mapping[str, str]) -> Child | None:
    """Start the browser that `$BROWSER` names, or the desktop's. Return None if there is no display or no browser."""
    if not any(environment.get(name) for name in _DISPLAYS):
        return None
    words = _split(environment.get("BROWSER", "")) or ["xdg-open"]
    program = find_program(words[0], environment.get("PATH"))
    if not program:
        return None
    arguments = [str(path) if word == "%s" else word for word in words[1:]]
    arguments += [] if "%s" in words else [str(path)]
    return start_detached([program, *arguments], env=environment)


def _split(command: str) -> list[str]:
    """Return the words of the first browser in a list like `firefox:chromium --new-window %s`."""
    try:
        return shlex.split(command.partition(":")[0])
    except ValueError:
        return []
