"""Finds the path in a repository to which a report's path points, from text alone: no file is accessed."""

import re
from collections import Counter
from collections.abc import Iterable
from urllib.parse import unquote

from reknit.core.issues.formats.report import PATH_CHARS, UNSAFE_CHARACTERS

SEAM = "/.//"
"""Mark that ends the root in a path from some checkout: what follows is inside the repository, wherever that is."""

_PLAIN = re.compile(r"(?:[A-Za-z0-9_@+=,-][A-Za-z0-9_@+=, .-]*(?:/(?!$)|$))+")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_DRIVE = re.compile(r"[A-Za-z]:")


def resolve_path(path: str, root: str, folder: str = "") -> str:
    """Return the path from the root, with `/`; empty if it is not a file inside the repository.

    `folder` is where the tool ran, absolute or relative to the root; the root is absolute.
    """
    if not folder and len(path) <= PATH_CHARS and _PLAIN.fullmatch(path):
        return path
    text = _decode_file_url(path) if path[:5].lower() == "file:" else path
    if not text or len(text) > PATH_CHARS or UNSAFE_CHARACTERS.search(text) or _ADDRESS.match(text):
        return ""
    text = text.replace("\\", "/")
    inside = _resolve_from_root(text, root, folder)
    if inside is None and SEAM in text:
        inside = _normalize(text.rpartition(SEAM)[2])
    return "" if inside is None or _is_in_git_folder(inside) else inside


def find_likely_root(lost: Iterable[str], there: Iterable[str]) -> str:
    """Return the folder from which most of these paths lead to a file; empty: none, or a tie."""
    paths_by_name: dict[str, list[str]] = {}
    for path in lost:
        paths_by_name.setdefault(path.rpartition("/")[2], []).append(path)
    votes: Counter[str] = Counter()
    for file in there:
        ends = (path for path in paths_by_name.get(file.rpartition("/")[2], ()) if file.endswith(f"/{path}"))
        votes.update(file[: -len(path) - 1] for path in ends)
    first, second = [*votes.most_common(2), ("", 0), ("", 0)][:2]
    return first[0] if first[1] > second[1] else ""


def _resolve_from_root(text: str, root: str, folder: str) -> str | None:
    if not text.startswith("/") and not _DRIVE.match(text):
        if not folder.startswith("/"):
            return _normalize(f"{folder}/{text}".lstrip("/"))
        text = f"{folder}/{text}"
    place, top = _normalize(text.lstrip("/")), _normalize(root.replace("\\", "/").lstrip("/"))
    if place is None or top is None or text.startswith("/") != root.startswith("/"):
        return None
    if not top:
        return place
    return place.removeprefix(f"{top}/") if place.startswith(f"{top}/") else None


def _normalize(text: str) -> str | None:
    """Remove `.`, `..` and doubled slashes; None if the path leads out of where it began."""
    names: list[str] = []
    for name in text.split("/"):
        if name == ".." and not names:
            return None
        if name == "..":
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    return "/".join(names)


def _decode_file_url(address: str) -> str:
    """Return the path of a `file:` URL; empty if it is on another machine or not valid text."""
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


def _is_in_git_folder(path: str) -> bool:
    return any(name.lower() == ".git" for name in path.split("/"))
