"""Lays overlays over folders of the host, so that a box can write there; its changes end with the box."""

import contextlib
import functools
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from reknit.adapters import process
from reknit.adapters.box.bubblewrap.as_root import (
    MS_BIND,
    MS_NODEV,
    MS_NOSUID,
    MS_RDONLY,
    MS_REMOUNT,
    bind_with_owner,
    mount,
)
from reknit.adapters.box.bubblewrap.mounts import Mounts
from reknit.adapters.files.folders import discard
from reknit.adapters.spawner import get_spawner

CHANGES_BYTES, CHANGED_FILES = 2 << 30, 500_000
"""Limits for all overlays of one box together. Changes are in memory, so none reaches a disk of the host."""

# bwrap has --overlay only since 0.11, so this script mounts the layers in an outer user namespace. It then execs bwrap,
# which keeps the pid, so that --die-with-parent works. If the kernel refuses an overlay, the folder is read-only.
_STAGE = f"""\
mount -t tmpfs -o size={CHANGES_BYTES},nr_inodes={CHANGED_FILES},mode=0700 changes changes || exit 125
for n in $1; do folders="$folders changes/$n changes/$n/upper changes/$n/work"; done
mkdir $folders || exit 125
for n in $1; do
  layers="lowerdir=$n/lower,upperdir=changes/$n/upper,workdir=changes/$n/work,userxattr"
  mount -t overlay overlay -o "$layers" "$n/merged" 2>/dev/null ||
    {{ mount --bind "$n/lower/" "$n/merged" && mount -o remount,bind,ro "$n/merged"; }} || exit 125
done
shift
exec "$@"
"""


class Overlays:
    """The overlays of one box. Their folder is new for every box, so that no box sees the changes of another."""

    def __init__(self, folders: Mapping[str, str], uid: int | None = None) -> None:
        """`folders`: path in the box -> host path. `uid`: the box's user, if it is not ours."""
        self._folders, self._uid = dict(folders), uid
        self.folder: str | None = tempfile.mkdtemp(prefix="reknit-layers-") if folders else None
        """Working folder for the start of the box. Mount paths are relative to it, so that none needs escaping."""

    def add_mounts(self, mounts: Mounts) -> None:
        if self.folder is not None:
            Path(self.folder, "changes").mkdir()
        for number, (place, source) in enumerate(self._folders.items()):
            layer = Path(str(self.folder), str(number))
            (layer / "merged").mkdir(parents=True)
            (layer / "lower").symlink_to(source)
            mounts.show_writable(str(layer / "merged"), place)

    def stage(self, argv: Sequence[str]) -> list[str]:
        """Return the command that mounts the layers and then becomes the given one."""
        if not self._folders:
            return list(argv)
        numbers = " ".join(str(number) for number in range(len(self._folders)))
        return ["unshare", "-Urm", "/bin/sh", "-c", _STAGE, "sh", numbers, *argv]

    @contextlib.contextmanager
    def as_root(self) -> Iterator[Callable[[], None]]:
        """Yield a function that mounts the layers; call it in a thread with its own mount namespace."""
        if self.folder is None or self._uid is None:
            yield lambda: None
            return
        owners = {_read_owner(source) for source in self._folders.values()}
        with contextlib.ExitStack() as stack:
            namespaces = {owner: stack.enter_context(_open_user_namespace(self._uid, owner)) for owner in owners}
            yield functools.partial(self._mount_as_root, self._uid, namespaces)

    def _mount_as_root(self, uid: int, namespaces: Mapping[tuple[int, int], int]) -> None:
        os.chdir(
            str(self.folder)
        )  # for this thread only: a thread with its own mount namespace has its own working folder
        size = f"size={CHANGES_BYTES},nr_inodes={CHANGED_FILES},mode=0700"
        mount("changes", "changes", MS_NOSUID | MS_NODEV, kind="tmpfs", data=size)
        for number, source in enumerate(self._folders.values()):
            upper = Path("changes", str(number), "upper")
            upper.mkdir(parents=True)
            os.chown(upper, uid, uid)
            upper.with_name("work").mkdir()
            _mount_layer(str(number), namespaces[_read_owner(source)])

    def close(self) -> None:
        if self.folder is None:
            return
        discard(Path(self.folder))
        self.folder = None


def _mount_layer(layer: str, user_namespace: int) -> None:
    lower, merged = os.path.realpath(f"{layer}/lower"), f"{layer}/merged"
    try:
        bind_with_owner(lower, merged, user_namespace)
        options = f"lowerdir={merged},upperdir=changes/{layer}/upper,workdir=changes/{layer}/work"
        mount("overlay", merged, 0, kind="overlay", data=options)
    except OSError:  # an older kernel, or a file system without support
        mount(lower, merged, MS_BIND)
        mount("none", merged, MS_BIND | MS_REMOUNT | MS_RDONLY)


def _read_owner(folder: str) -> tuple[int, int]:
    facts = Path(folder).stat()
    return facts.st_uid, facts.st_gid


@contextlib.contextmanager
def _open_user_namespace(uid: int, owner: tuple[int, int]) -> Iterator[int]:
    """Open a user namespace in which this owner of files is the user `uid`."""
    env = {"PATH": os.environ.get("PATH", os.defpath)}
    child = get_spawner().start(["unshare", "--user", "/bin/sh", "-c", "echo; read -r _"], env=env)
    try:
        if child.stdout is not None:
            child.stdout.read(1)  # it is in its namespace now
        for kind, owned_by in zip(("uid", "gid"), owner, strict=True):
            Path(f"/proc/{child.pid}/{kind}_map").write_text(f"{owned_by} {uid} 1\n")
        with Path(f"/proc/{child.pid}/ns/user").open("rb") as namespace:
            yield namespace.fileno()
    finally:
        process.kill_group(child.pid)
        child.wait()
        process.close_pipes(child)
