"""Caches that a tool writes even off-line: shown writable through an overlay whose changes live as long as one box."""

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from reknit.adapters.boxes.mounts import Mounts
from reknit.adapters.boxes.profile import HOME

# bwrap learned --overlay in 0.11 only. An outer user namespace mounts the layers and then becomes bwrap: same pid, so
# that die-with-parent still holds. Where the kernel refuses an overlay, the cache is shown read-only.
_STAGE = """\
while [ "$1" != -- ]; do
  mount -t overlay overlay -o "lowerdir=$1/lower,upperdir=$1/upper,workdir=$1/work,userxattr" "$1/merged" 2>/dev/null ||
    { mount --bind "$1/lower/" "$1/merged" && mount -o remount,bind,ro "$1/merged"; } || exit 125
  shift
done
shift
exec "$@"
"""


class Layers:
    """The overlays of one box. Their folder is new for every box, or one run would poison the next."""

    def __init__(self, caches: Mapping[str, str]) -> None:
        """`caches`: place below HOME -> host path."""
        self._caches = dict(caches)
        self.folder: str | None = tempfile.mkdtemp(prefix="reknit-layers-") if caches else None
        """The box must be started here: with paths relative to it, no strange character needs escaping."""

    def furnish(self, mounts: Mounts) -> None:
        for number, (place, source) in enumerate(self._caches.items()):
            layer = Path(str(self.folder), str(number))
            for part in ("upper", "work", "merged"):
                (layer / part).mkdir(parents=True)
            (layer / "lower").symlink_to(source)
            mounts.writable(str(layer / "merged"), f"{HOME}/{place}")

    def stage(self, argv: Sequence[str]) -> list[str]:
        """The same command, once the layers are mounted."""
        if not self._caches:
            return list(argv)
        numbers = [str(number) for number in range(len(self._caches))]
        return ["unshare", "-Urm", "/bin/sh", "-c", _STAGE, "sh", *numbers, "--", *argv]

    def close(self) -> None:
        if self.folder is None:
            return
        for locked in Path(self.folder).glob("*/work/work"):
            locked.chmod(0o700)  # the kernel leaves it without any rights
        shutil.rmtree(self.folder)
        self.folder = None
