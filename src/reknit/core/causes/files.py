"""Files that are missing or must not be written: of the tree it is the code; of the machine it is the environment."""

import posixpath
import re

from reknit.core.causes.cause import CODE, Cause, doubtful, environment
from reknit.core.causes.failing_lines import find_failing_lines
from reknit.core.causes.reading import Reading
from reknit.core.causes.tree_facts import LFS_POINTER, TreeFacts

_DENIED = re.compile(
    r"(?:Permission denied|Read-only file system|Operation not permitted): ['\"]?([^'\"\n:]{1,400})"
    r"|(?:EACCES: permission denied|EROFS: read-only file system"
    r"|EPERM: operation not permitted), \w{1,20} ['\"]([^'\"\n]{1,400})"
    r"|(?:open|mkdir|create|unlink|remove|chmod) (/[^\s:]{1,400}): (?:permission denied|read-only file system)"
    r"|((?:/[\w.@+-]{1,100}){1,20})[:)\s]{1,3}\(?(?:Permission denied|Read-only file system)"
)
_UNREADABLE = re.compile(
    r"(?i:decod|unpickl|unidentified|bad ?(?:zip|gzip)|magic|header|pars(?:e|ing)|expecting|unexpected|corrupt|invalid"
    r"|not a (?:zip|gzip)|format|signature)"
)
_READ_ONLY = re.compile(r"read-only file system|EROFS|Errno 30\b", re.IGNORECASE)
_ABSENT = re.compile(
    r"No such file or directory: ['\"]([^'\"\n]{1,400})['\"]"
    r"|ENOENT: no such file or directory, \w{1,20} ['\"]([^'\"\n]{1,400})"
    r"|(?:open|stat|lstat|chdir) ([^\s:]{1,400}): no such file or directory"
    r"|fatal error: ([^\s:]{1,300}): No such file or directory"
    r"|(?:NoSuchFileException|FileNotFoundException): ([^\s(]{1,400})"
)
_SYSTEM = (
    "/etc/",
    "/usr/",
    "/var/",
    "/opt/",
    "/proc/",
    "/sys/",
    "/dev/",
    "/run/",
    "/srv/",
    "/mnt/",
    "/lib/",
    "/bin/",
    "/sbin/",
    "/boot/",
    "/media/",
)
TEMPORARY = ("/tmp/", "/var/tmp/", "/var/folders/", "/dev/shm/", "/private/var/")  # noqa: S108


def denied(reading: Reading, facts: TreeFacts) -> Cause | None:
    found = _DENIED.search(reading.words)
    if not found:
        return None
    path = next(part for part in found.groups() if part).strip()
    read_only = bool(_READ_ONLY.search(reading.words))
    said = f"{path} {'is read-only' if read_only else 'must not be accessed'} where the tests run"
    if not path.startswith("/") or facts.inside(path) is not None:
        # A tree is writable; only what is mounted over it is not.
        return (
            environment("permission", said, "see what the box shows read-only: `reknit doctor`") if read_only else CODE
        )
    if path.startswith(TEMPORARY):
        return CODE
    if path.startswith(_SYSTEM):
        return environment("permission", said, f"let the tests write elsewhere, or run where {path} is writable")
    return doubtful("permission", said)


def pointer_in(reading: Reading, facts: TreeFacts) -> str:
    """Return the pointer of Git LFS that the failure or the failing test names; empty: none."""
    shown = reading.text + find_failing_lines(reading, facts).text
    return next((each for each in sorted(facts.pointers) if posixpath.basename(each) in shown), "")


def missing_data(reading: Reading, facts: TreeFacts) -> Cause | None:
    """A file of Git LFS: no filter of Git runs where the tests run, so the tree has its pointer."""
    path = pointer_in(reading, facts)
    if not path or not (LFS_POINTER in reading.text or _UNREADABLE.search(reading.words)):
        return None
    remedy = "commit the data itself, or leave the tests that read it out of checks.tests.run: LFS is not fetched"
    return environment("lfs", f"{path} is a pointer of Git LFS, not the data itself", remedy)


def absent(reading: Reading, facts: TreeFacts) -> Cause | None:
    found = _ABSENT.search(reading.words)
    if not found:
        return None
    path = next(part for part in found.groups() if part)
    inside = facts.inside(path)
    if module := facts.submodule_of(inside or "") or _header_of_submodule(path, found[4], facts):
        return environment("submodule", f"the submodule {module} is empty", "`git submodule update --init`")
    if inside is not None:
        return CODE
    if not path.startswith("/") or path.startswith(TEMPORARY) or _is_like_ours(path, facts):
        return CODE
    if path.startswith(_SYSTEM):
        return environment("host-file", f"{path} does not exist on this machine", f"provide {path}")
    return doubtful("host-file", f"{path} does not exist on this machine")


def _header_of_submodule(path: str, header: str | None, facts: TreeFacts) -> str:
    if not header:
        return ""
    return next((each for each in facts.submodules if each in path or posixpath.basename(each) in path.split("/")), "")


def _is_like_ours(path: str, facts: TreeFacts) -> bool:
    """An absolute path made from a relative one of the tree by mistake."""
    rest = path.strip("/")
    return rest in facts.paths or rest in facts.folders or rest.partition("/")[0] in facts.folders
