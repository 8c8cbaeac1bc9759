"""Where in a repository a report's path points: computed from text alone, no file is accessed."""

import re
from collections import Counter
from collections.abc import Iterable
from urllib.parse import unquote

from reknit.core.issues.formats.bounds import PATH_CHARS, UNFIT

SEAM = "/.//"
"""Ends the root in a path from some checkout: what follows is inside the repository, wherever that is."""

_PLAIN = re.compile(r"(?:[A-Za-z0-9_@+=,-][A-Za-z0-9_@+=, .-]*(?:/(?!$)|$))+")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_DRIVE = re.compile(r"[A-Za-z]:")


def relative(path: str, root: str, folder: str = "") -> str:
    """The path from the root, with `/`; empty if it is not a file inside the repository.

    `folder` is where the tool ran, absolute or relative to the root; the root is absolute.
    """
    if not folder and len(path) <= PATH_CHARS and _PLAIN.fullmatch(path):
        return path
    text = _decoded(path) if path[:5].lower() == "file:" else path
    if not text or len(text) > PATH_CHARS or UNFIT.search(text) or _ADDRESS.match(text):
        return ""
    text = text.replace("\\", "/")
    inside = _from_root(text, root, folder)
    if inside is None and SEAM in text:
        inside = _walked(text.rpartition(SEAM)[2])
    return "" if inside is None or _is_gits(inside) else inside


def likely_root(lost: Iterable[str], there: Iterable[str]) -> str:
    """The folder from which the largest number of these paths lead to a file; empty: there is none, or a tie."""
    named: dict[str, list[str]] = {}
    for path in lost:
        named.setdefault(path.rpartition("/")[2], []).append(path)
    votes: Counter[str] = Counter()
    for file in there:
        ends = (path for path in named.get(file.rpartition("/")[2], ()) if file.endswith(f"/{path}"))
        votes.update(file[: -len(path) - 1] for path in ends)
    first, second = [*votes.most_common(2), ("", 0), ("", 0)][:2]
    return first[0] if first[1] > second[1] else ""


def _from_root(text: str, root: str, folder: str) -> str | None:
    if not text.startswith("/") and not _DRIVE.match(text):
        if not folder.startswith("/"):
            return _walked(f"{folder}/{text}".lstrip("/"))
        text = f"{folder}/{text}"
    place, top = _walked(text.lstrip("/")), _walked(root.replace("\\", "/").lstrip("/"))
    if place is None or top is None or text.startswith("/") != root.startswith("/"):
        return None
    if not top:
        return place
    return place.removeprefix(f"{top}/") if place.startswith(f"{top}/") else None


def _walked(text: str) -> str | None:
    """Without `.`, `..` and doubled slashes; None if it leads out of where it began."""
    names: list[str] = []
    for name in text.split("/"):
        if name == ".." and not names:
            return None
        if name == "..":
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    return "/".join(names)


def _decoded(address: str) -> str:
    """The path of a `file:` URL; empty if it is on another machine or not valid text."""
    rest = address[5:].replace("\\", "/")
    if rest.startswith("//") and not rest.startswith("///"):
        host, slash, rest = rest[2:].partition("/")
        if _DRIVE.fullmatch(host):
            rest = f"{host}/{rest}"
        elif host.lower() not in ("", "localhost"):
            return ""
        else:
            rest = slash + rest
    try:
        path = unquote(rest, errors="strict")
    except UnicodeDecodeError:
        return ""
    # `/C:/x`: a drive has no slash before it
    path = re.sub(r"^/+(?=[A-Za-z]:)", "", path)
    return re.sub(r"^/+", "/", path)


def _is_gits(path: str) -> bool:
    return any(name.lower() == ".git" for name in path.split("/"))
