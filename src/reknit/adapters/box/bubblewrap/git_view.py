"""Shows a trusted gitdir in a box as `.git`: history, status and diff work, and nothing can be written."""

from pathlib import Path

from reknit.adapters import process
from reknit.adapters.box.bubblewrap.mounts import Mounts
from reknit.adapters.files.folders import temporary_folder

_SHOWN = ("HEAD", "objects", "packed-refs", "refs", "shallow")
"""Config, hooks, remotes and logs are left out: they contain addresses, tokens and programs."""
_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
_SIZE_BYTES = 1 << 20


def show_git(mounts: Mounts, gitdir: str, place: str) -> None:
    source = Path(gitdir)
    mounts.empty(place, _SIZE_BYTES)
    for name in _SHOWN:
        if (source / name).exists():
            mounts.read_only(str(source / name), f"{place}/{name}")
    for folder in _borrowed_objects(source):
        mounts.read_only(folder, folder)
    mounts.content(_CONFIG, f"{place}/config")
    index = _index(source)
    if index:
        mounts.content(index, f"{place}/index")
    mounts.seal(place)


def _borrowed_objects(gitdir: Path) -> list[str]:
    """Object folders of other repositories that this one refers to."""
    listed = gitdir / "objects" / "info" / "alternates"
    if not listed.exists():
        return []
    lines = [line for line in listed.read_text().splitlines() if line and not line.startswith("#")]
    return [str((gitdir / "objects" / line).resolve()) for line in lines]


def _index(gitdir: Path) -> bytes:
    """Its own, or one made from HEAD: without an index git reports every file as deleted. Empty if there is no HEAD."""
    own = gitdir / "index"
    if own.exists():
        return own.read_bytes()
    with temporary_folder("reknit-index-") as folder:
        made = Path(folder, "index")
        env = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "GIT_INDEX_FILE": str(made),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
        }
        done = process.run(["git", "--git-dir", str(gitdir), "read-tree", "HEAD"], env=env)
        return made.read_bytes() if done.exit_code == 0 else b""
