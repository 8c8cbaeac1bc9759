"""Patterns for paths of a repository: `*` and `?` within one folder or name, `**` for any number of folders."""

import re
from collections.abc import Callable, Sequence

from reknit.core.text.redact import is_hidden

EVERYTHING = "**"
_MAX_PATH_CHARS = 300


def check_pattern(text: str, *, may_be_everything: bool = False) -> str:
    """Return the pattern without a leading `./`; raise ValueError if it names no file, or every file.

    Nothing else is changed: upper and lower case differ, and characters are compared as they are.
    """
    path = text.removeprefix("./")
    parts = path.split("/")
    if not path or len(path) > _MAX_PATH_CHARS:
        raise ValueError(f"expected a path of 1 to {_MAX_PATH_CHARS} characters")
    if path.startswith("/") or re.match(r"[A-Za-z]:[\\/]", path):
        raise ValueError(f"{text!r} is absolute; paths start at the top folder of the repository")
    if path.endswith("/"):
        raise ValueError(f"{text!r} is a folder; `{path}**` stands for every file below it")
    if any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"{text!r} has an empty part, `.` or `..`; write the path from the top folder")
    if "\\" in path or not is_visible(path):
        raise ValueError(f"{text!a} has a backslash or a character that cannot be seen")
    if path != path.strip():
        raise ValueError(f"{text!r} begins or ends with a space")
    if any(EVERYTHING in part and part != EVERYTHING for part in parts):
        raise ValueError(f"{text!r}: `**` stands for whole folders, as in `docs/**`")
    if may_be_everything and path == EVERYTHING:
        return path
    if not any(character.isalnum() for character in path):
        raise ValueError(f"{text!r} stands for every file; name a path, or a pattern with a name in it")
    return path


def is_exact_path(path: str) -> bool:
    """Return True if the path, typed as a pattern, stands for this file alone. Only then it is offered."""
    try:
        return check_pattern(path) == path and not set("*?") & set(path)
    except ValueError:
        return False


def is_visible(path: str) -> bool:
    """Return True if a person can see every character of the path."""
    return not any(is_hidden(character) or character in "\n\t" for character in path)


def matches(pattern: str, path: str) -> bool:
    """Return True if the pattern matches the path. `[` and `]` stand for themselves: names of routes have them."""
    parts = [*pattern.split("/"), *(["*"] if pattern.endswith(EVERYTHING) else [])]  # a file is below the folder
    pieces: list[list[str]] = [[]]
    for part in parts:
        if part == EVERYTHING:
            pieces.append([])
        else:
            pieces[-1].append(part)
    return _fits(pieces, path.split("/"), _name_matches)


def _name_matches(pattern: str, name: str) -> bool:
    return _fits(pattern.split("*"), name, lambda one, other: one in ("?", other))


def _fits(pieces: Sequence[Sequence[str]], items: Sequence[str], same: Callable[[str, str], bool]) -> bool:
    """Return True if the items begin with the first piece, end with the last, and have the others between, in order.

    Each other piece is taken at the first place where it fits, so no place is tried twice.
    """

    def is_at(piece: Sequence[str], start: int) -> bool:
        position = items[start : start + len(piece)]
        return len(position) == len(piece) and all(map(same, piece, position))

    first, last = pieces[0], pieces[-1]
    if len(pieces) == 1:
        return len(first) == len(items) and is_at(first, 0)
    at, end = len(first), len(items) - len(last)
    if end < at or not is_at(first, 0) or not is_at(last, end):
        return False
    for piece in pieces[1:-1]:
        places = range(at, end - len(piece) + 1)
        position = next((start for start in places if is_at(piece, start)), None)
        if position is None:
            return False
        at = position + len(piece)
    return True
