"""A fingerprint of a user's repository: equal before and after means that reknit left it alone."""

import hashlib
import os
import stat
from pathlib import Path

OURS = "refs/heads/reknit"


def fingerprint(repository: Path) -> dict[str, str]:
    """Every relevant thing -> a hash. Objects and everything of `refs/heads/reknit/` are left out."""
    marker = repository / ".git"
    prints = {f"tree:{name}": _print(path) for name, path in _walk(repository) if name.split("/")[0] != ".git"}
    gitdir = marker if marker.is_dir() else repository / marker.read_text().removeprefix("gitdir:").strip()
    prints |= {f"gitdir:{name}": _print(path) for name, path in _walk(gitdir) if _counts(name)}
    if not marker.is_dir():
        prints["tree:.git"] = _print(marker)
        common = gitdir / (gitdir / "commondir").read_text().strip()
        prints |= {f"common:{name}": _print(path) for name, path in _walk(common) if _counts(name)}
    return prints


def _counts(name: str) -> bool:
    if name == "objects" or name.startswith("objects/"):
        return False
    bare = name.removeprefix("logs/")
    return not (bare == OURS or bare.startswith(OURS + "/"))


def _walk(folder: Path) -> list[tuple[str, Path]]:
    found = []
    for here, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            path = Path(here, name)
            found.append((path.relative_to(folder).as_posix(), path))
    return sorted(found)


def _print(path: Path) -> str:
    facts = path.lstat()
    if stat.S_ISDIR(facts.st_mode):
        return f"folder {facts.st_mode:o}"
    if stat.S_ISLNK(facts.st_mode):
        return f"link {os.readlink(path)}"
    content = path.read_bytes() if stat.S_ISREG(facts.st_mode) else b""
    if path.name == "packed-refs":
        content = b"\n".join(line for line in content.splitlines() if f" {OURS}/".encode() not in line)
        return f"{facts.st_mode:o} {hashlib.sha256(content).hexdigest()}"
    return f"{facts.st_mode:o} {facts.st_mtime_ns} {hashlib.sha256(content).hexdigest()}"
