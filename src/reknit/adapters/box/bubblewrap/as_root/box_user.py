"""The host user that a box runs as when reknit is started as root: it has no account, no files and no privileges."""

import functools
import grp
import os
import pwd
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from reknit.adapters import process
from reknit.core.errors import ToolMissing

# Neither distributions nor systemd create users in this range, and a container with 65,536 mapped ids includes it.
_CANDIDATES = range(60_578, 61_184)
_NEEDED = {"CAP_CHOWN": 0, "CAP_DAC_OVERRIDE": 1, "CAP_SETGID": 6, "CAP_SETUID": 7, "CAP_SYS_ADMIN": 21}
_CHOWN_S = 300.0
_WAY_OUT = "start reknit as an ordinary user"


def box_uid() -> int | None:
    """The uid and gid that the box runs as on the host; None: those of the user who started reknit, who is not root."""
    if os.geteuid() != 0:
        return None
    lacking = _missing_capabilities(Path("/proc/self/status").read_text())
    if lacking:
        what = f"root here lacks {', '.join(lacking)}, so it cannot start the box as an unprivileged user"
        raise ToolMissing("box-as-root", what, help=_WAY_OUT)
    uid = _unused_id()
    if uid is None:
        low, high = _CANDIDATES[0], _CANDIDATES[-1]
        what = f"root has no unprivileged user for the box: every id from {low} to {high} is taken or not mapped here"
        raise ToolMissing("box-as-root", what, help=_WAY_OUT)
    return uid


def give(folders: Sequence[str], uid: int) -> None:
    """Make this user the owner of the folders and everything in them. Links are changed themselves, never followed.

    Uses `chown`: folders can be nested deeper than Python recurses. The kernel clears setuid bits as it changes owners.
    """
    there = [folder for folder in folders if os.path.lexists(folder)]
    if not there:
        return
    argv = ["chown", "-hRP", f"{uid}:{uid}", "--", *there]
    done = process.run(argv, env={"PATH": os.environ.get("PATH", os.defpath)}, timeout_s=_CHOWN_S)
    if done.exit_code != 0:
        said = done.stderr.decode(errors="replace").strip()[-500:]
        what = f"root cannot hand the box's folders over to user {uid}: {said}"
        raise ToolMissing("box-as-root", what, help=f"set REKNIT_STATE to a folder on a local disk, or {_WAY_OUT}")


def _missing_capabilities(status: str) -> list[str]:
    held = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff:"))
    return [name for name, bit in _NEEDED.items() if not held >> bit & 1]


@functools.cache
def _unused_id() -> int | None:
    mapped = [list(_mapped(Path(f"/proc/self/{kind}_map"))) for kind in ("uid", "gid")]
    delegated = [ids for kind in ("uid", "gid") for ids in _delegated(Path(f"/etc/sub{kind}"))]
    return next(
        (
            number
            for number in _CANDIDATES
            if all(_is_in(number, ids) for ids in mapped) and not _is_in(number, delegated) and not _has_name(number)
        ),
        None,
    )


def _is_in(number: int, ranges: Iterable[range]) -> bool:
    return any(number in ids for ids in ranges)


def _mapped(map_file: Path) -> Iterator[range]:
    for line in map_file.read_text().splitlines():
        inside, _, count = map(int, line.split())
        yield range(inside, inside + count)


def _delegated(file: Path) -> Iterator[range]:
    """Ids delegated to users for their own namespaces."""
    for line in file.read_text().splitlines() if file.exists() else ():
        _, first, count = (*line.split(":"), "", "", "")[:3]
        if first.isdigit() and count.isdigit():
            yield range(int(first), int(first) + int(count))


def _has_name(number: int) -> bool:
    for lookup in (pwd.getpwuid, grp.getgrgid):
        try:
            lookup(number)
        except KeyError:
            continue
        return True
    return False
