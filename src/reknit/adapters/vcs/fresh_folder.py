"""An empty folder in the place of one that an agent may have filled, locked and nested without end."""

import os
from pathlib import Path

from reknit.adapters import process
from reknit.core.errors import InternalError

_LONG_S = 300.0


def make_fresh(folder: Path) -> None:
    remove(folder)
    folder.mkdir(parents=True)


def remove(folder: Path) -> None:
    where = str(folder)
    if not os.path.lexists(where) or _remove(where):
        return
    # An agent may take away its own rights. Neither program follows links below the folder.
    _run("chmod", "-R", "u+rwX", "--", where)
    if not _remove(where):
        raise InternalError("cannot-remove", f"the former content of {where!r} could not be removed")


def _remove(where: str) -> bool:
    """By `rm`: folders can be nested deeper than Python recurses and than a path can be long."""
    return _run("rm", "-rf", "--", where) == 0


def _run(*argv: str) -> int:
    return process.run(argv, env={"PATH": os.environ.get("PATH", os.defpath)}, timeout_s=_LONG_S).exit_code
