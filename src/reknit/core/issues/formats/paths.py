"""Resolves paths of reports to paths in the repository, from their text alone: no file is accessed."""

import re
from collections import Counter
from collections.abc import Iterable
from urllib.parse import unquote

from reknit.core.issues.formats.report import PATH_CHARS, UNSAFE_CHARACTERS

SEAM = "/.//"
"""Separates the root of another checkout from the path inside it, which is the same in this repository."""

_PLAIN_PATH = re.compile(r"(?:[A-Za-z0-9_@+=,-][A-Za-z0-9_@+=, .-]*(?:/(?!$)|$))+")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_DRIVE = re.compile(r"[A-Za-z]:")


def resolve_path(path: str, root: str, folder: str = "") -> str:
    """Return the path from the root, with `/`; empty if it is not a file inside the repository.

    `folder` is where the tool ran, absolute or relative to the root; the root is absolute.
    """
    if not folder and len(path) <= PATH_CHARS and _PLAIN_PATH.fullmatch(path):
        return path
    text = _decode_file_url(path) if path[:5].lower() == "file:" else path
    if not text or len(text) > PATH_CHARS or UNSAFE_CHARACTERS.search(text) or _URL.match(text):
        return ""
    text = text.replace("\\", "/")
    inside = _resolve_from_root(text, root, folder)
    if inside is None and SEAM in text:
        inside = _normalize(text.rpartition(SEAM)[2])
    return "" if inside is None or any(name.lower() == ".git" for name in inside.split("/")) else inside


def find_likely_root(report_paths: Iterable[str], repository_files: Iterable[str]) -> str:
    """Return the folder from which most of the paths lead to a file; empty: there is none, or a tie."""
    paths_by_name: dict[str, list[str]] = {}
    for path in report_paths:
        paths_by_name.setdefault(path.rpartition("/")[2], []).append(path)
    votes: Counter[str] = Counter()
    for file in repository_files:
        ends = (path for path in paths_by_name.get(file.rpartition("/")[2], ()) if file.endswith(f"/{path}"))
        votes.update(file[: -len(path) - 1] for path in ends)
    first, second = [*votes.most_common(2), ("", 0), ("", 0)][:2]
    return first[0] if first[1] > second[1] else ""


def _resolve_from_root(text: str, root: str, folder: str) -> str | None:
    if not text.startswith("/") and not _DRIVE.match(text):
        if not folder.startswith("/"):
            return _normalize(f"{folder}/{text}".lstrip("/"))
        text = f"{folder}/{text}"
    path, root_path = _normalize(text.lstrip("/")), _normalize(root.replace("\\", "/").lstrip("/"))
    if path is None or root_path is None or text.startswith("/") != root.startswith("/"):
        return None
    if not root_path:
        return path
    return path.removeprefix(f"{root_path}/") if path.startswith(f"{root_path}/") else None


def _normalize(text: str) -> str | None:
    """Remove `.`, `..` and doubled slashes; None if the path leaves the folder in which it starts."""
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
