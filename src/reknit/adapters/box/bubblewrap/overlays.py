"""Caches that a tool writes even offline: writable through an overlay whose changes last as long as one box."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from reknit.adapters import process
from reknit.adapters.box.bubblewrap.as_root import mount_calls as calls
from reknit.adapters.box.bubblewrap.mounts import Mounts
from reknit.adapters.box.bubblewrap.profile import HOME
from reknit.adapters.files.folders import discard

CHANGES_BYTES, CHANGED_FILES = 2 << 30, 500_000
"""For all caches of one box together, in memory: nothing reaches a disk of the host or is left behind."""

# bwrap has --overlay only since 0.11. An outer user namespace mounts the layers and then execs bwrap: same pid, so that
# die-with-parent still works. If the kernel refuses an overlay, the cache is shown read-only.
_STAGE = f"""\
mount -t tmpfs -o size={CHANGES_BYTES},nr_inodes={CHANGED_FILES},mode=0700 changes changes || exit 125
while [ "$1" != -- ]; do
  mkdir -p "changes/$1/upper" "changes/$1/work"
  layers="lowerdir=$1/lower,upperdir=changes/$1/upper,workdir=changes/$1/work,userxattr"
  mount -t overlay overlay -o "$layers" "$1/merged" 2>/dev/null ||
    {{ mount --bind "$1/lower/" "$1/merged" && mount -o remount,bind,ro "$1/merged"; }} || exit 125
  shift
done
shift
exec "$@"
"""


class Overlays:
    """The overlays of one box. Their folder is new for every box; otherwise one run could poison the next."""

    def __init__(self, caches: Mapping[str, str], uid: int | None = None) -> None:
        """`caches`: path below HOME -> host path. `uid`: the box's user, if it is not ours."""
        self._caches, self._uid = dict(caches), uid
        self.folder: str | None = tempfile.mkdtemp(prefix="reknit-layers-") if caches else None
        """The box must be started here: the paths are relative to it, so no special character needs escaping."""

    def add_mounts(self, mounts: Mounts) -> None:
        if self.folder is not None:
            Path(self.folder, "changes").mkdir()
        for number, (place, source) in enumerate(self._caches.items()):
            layer = Path(str(self.folder), str(number))
            (layer / "merged").mkdir(parents=True)
            (layer / "lower").symlink_to(source)
            mounts.writable(str(layer / "merged"), f"{HOME}/{place}")

    def stage(self, argv: Sequence[str]) -> list[str]:
        """The same command, once the layers are mounted."""
        if not self._caches:
            return list(argv)
        numbers = [str(number) for number in range(len(self._caches))]
        return ["unshare", "-Urm", "/bin/sh", "-c", _STAGE, "sh", *numbers, "--", *argv]

    @contextlib.contextmanager
    def as_root(self) -> Iterator[Callable[[], None]]:
        """Yields a function that mounts the layers; call it in a thread with its own mount namespace."""
        if self.folder is None or self._uid is None:
            yield lambda: None
            return
        uid = self._uid
        with _user_namespace(uid) as owner:
            yield lambda: self._mount_as_root(uid, owner)

    def _mount_as_root(self, uid: int, owner: int) -> None:
        os.chdir(str(self.folder))  # for this thread only: its own mount namespace gives it its own working directory
        size = f"size={CHANGES_BYTES},nr_inodes={CHANGED_FILES},mode=0700"
        calls.mount("changes", "changes", calls.MS_NOSUID | calls.MS_NODEV, kind="tmpfs", data=size)
        for number in range(len(self._caches)):
            upper = Path("changes", str(number), "upper")
            upper.mkdir(parents=True)
            os.chown(upper, uid, uid)
            upper.with_name("work").mkdir()
            _mount_as_root(str(number), owner)

    def close(self) -> None:
        if self.folder is None:
            return
        discard(Path(self.folder))
        self.folder = None


def _mount_as_root(layer: str, owner: int) -> None:
    lower, merged = os.path.realpath(f"{layer}/lower"), f"{layer}/merged"
    try:
        calls.bind_with_owner(lower, merged, owner)
        options = f"lowerdir={merged},upperdir=changes/{layer}/upper,workdir=changes/{layer}/work"
        calls.mount("overlay", merged, 0, kind="overlay", data=options)
    except OSError:  # an older kernel, or a file system without support
        calls.mount(lower, merged, calls.MS_BIND)
        calls.mount("none", merged, calls.MS_BIND | calls.MS_REMOUNT | calls.MS_RDONLY)


@contextlib.contextmanager
def _user_namespace(uid: int) -> Iterator[int]:
    """An open user namespace in which root is this user."""
    env = {"PATH": os.environ.get("PATH", os.defpath)}
    child = process.spawner().start(["unshare", "--user", "/bin/sh", "-c", "echo; read -r _"], env=env)
    try:
        if child.stdout is not None:
            child.stdout.read(1)  # it is in its namespace now
        for kind in ("uid", "gid"):
            Path(f"/proc/{child.pid}/{kind}_map").write_text(f"0 {uid} 1\n")
        with Path(f"/proc/{child.pid}/ns/user").open("rb") as namespace:
            yield namespace.fileno()
    finally:
        process.kill_group(child.pid)
        child.wait()
        process.close_pipes(child)
