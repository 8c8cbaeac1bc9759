"""The files that a task's title names: which of them are there, and which the task may create."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from reknit.core.gate.path_pattern import matches, names_one
from reknit.core.planning.validation.creation import Creation
from reknit.core.planning.validation.file_names import (
    has_file_name,
    is_path,
    may_be_a_plain_word,
    tracked_path,
    usual_path,
    well_known,
)
from reknit.core.repository.paths import is_config, is_foreign

Kind = Literal["file", "folder", "pattern"]
_TOKENS = re.compile(r"`[^`\n]{1,300}`|[^\s\"'`()<>,;!|“”‘’«»]+")
_ARROW = re.compile("[-=]>|→")
_PLACE = re.compile(r":\d.*|#L\d.*|::.*", re.DOTALL)
_WILDCARDS = re.compile(r"[*?]+/?")
_LONGEST = 1_000
_MOST_OF_A_NAME = 20
"""Files of one name: with more, the name does not say which."""


@dataclass(frozen=True)
class TaskFile:
    path: str
    """As it is tracked, or as it would be created."""
    exists: bool
    may_be_new: bool
    """The title says that the task creates it."""
    kind: Kind = "file"


class _Tree:
    """Looked up by the hundred, among a hundred thousand paths: each index is made once."""

    def __init__(self, tracked: Collection[str]) -> None:
        self.paths = tracked if isinstance(tracked, frozenset | set) else frozenset(tracked)

    @cached_property
    def by_lower(self) -> dict[str, str]:
        """The first by name, if two differ only by case."""
        return {path.lower(): path for path in sorted(self.paths, reverse=True)}

    @cached_property
    def top(self) -> frozenset[str]:
        return frozenset(folder for folder in self.folders if "/" not in folder)

    @cached_property
    def folders(self) -> frozenset[str]:
        found: set[str] = set()
        for path in self.paths:
            folder = posixpath.dirname(path)
            while folder and folder not in found:
                found.add(folder)
                folder = posixpath.dirname(folder)
        return frozenset(found)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.paths:
            found[posixpath.basename(path)].append(path)
        return found

    def of_name(self, name: str) -> list[str]:
        """Where a file that is named without its folder may be; not in what is vendored."""
        return sorted(path for path in self._by_name.get(name, ()) if "/" in path and not is_foreign(path))

    def has_match(self, pattern: str) -> bool:
        whole = pattern if "/" in pattern else f"**/{pattern}"
        first, *_, last = _WILDCARDS.split(whole)
        near = (path for path in self.paths if path.startswith(first) and path.endswith(last))  # most are not
        return any(matches(whole, path) for path in near)


def files_of_each(titles: Iterable[str], tracked: Collection[str]) -> list[tuple[TaskFile, ...]]:
    """In the order of each title, each path once."""
    tree = _Tree(tracked)
    return [_files_of(title, tree) for title in titles]


def _files_of(title: str, tree: _Tree) -> tuple[TaskFile, ...]:
    creation = Creation()
    title = _ARROW.sub(" to ", title)
    found: dict[str, TaskFile] = {}
    for token in _TOKENS.finditer(title[:_LONGEST]):
        files = tuple(_files(token[0], tree, creates=creation.is_next_new))
        if creation.configures:
            files = tuple(replace(file, may_be_new=is_config(file.path) and names_one(file.path)) for file in files)
        if not files and not token[0].startswith("`"):  # `git add` creates no file
            creation.read(token[0])
        for file in files:
            found.setdefault(file.path, file)
    return tuple(found.values())


def _files(token: str, tree: _Tree, *, creates: bool) -> Iterator[TaskFile]:
    """What one word, or one piece of code between backticks, names."""
    quoted = token.startswith("`")
    text = token.strip("`")
    if text not in tree.paths and len(text.split()) > 1:  # a command
        for word in text.split():
            yield from _files(f"`{word}`", tree, creates=False)
        return
    word = text if text in tree.paths else _trimmed(text, tree)
    if word in tree.paths:
        yield TaskFile(word, exists=True, may_be_new=creates)
    elif key := well_known(word):
        yield from _usual(word, key, tree, creates=creates)
    elif "\\" in word and has_file_name(word.rpartition("\\")[2]):  # a path of another system
        yield TaskFile(word, exists=False, may_be_new=False)
    elif is_path(word, tree.top, quoted=quoted):
        yield from _named(word, tree, creates=creates)


def _trimmed(text: str, tree: _Tree) -> str:
    """Without the punctuation around it, and without a line or a test in the file."""
    word = _PLACE.sub("", text).rstrip(".:?…").removeprefix("./")
    return word if word in tree.paths else word.strip("[]")


def _usual(word: str, key: str, tree: _Tree, *, creates: bool) -> Iterator[TaskFile]:
    path = tracked_path(key, tree.by_lower)
    if path:
        yield TaskFile(path, exists=True, may_be_new=creates)
    elif creates or not may_be_a_plain_word(word):
        yield TaskFile(usual_path(key), exists=False, may_be_new=creates)


def _named(word: str, tree: _Tree, *, creates: bool) -> Iterator[TaskFile]:
    path = word.rstrip("/")
    if "*" in word or "?" in word:
        yield TaskFile(word, tree.has_match(word), may_be_new=False, kind="pattern")
    elif path in tree.folders:
        yield TaskFile(f"{path}/", exists=True, may_be_new=creates, kind="folder")
    elif path.lower() in tree.by_lower and path == word:
        yield TaskFile(tree.by_lower[path.lower()], exists=True, may_be_new=creates)
    elif others := tree.of_name(word) if "/" not in word else []:
        for other in others[:_MOST_OF_A_NAME]:
            yield TaskFile(other, exists=True, may_be_new=creates)
    else:
        is_file = path == word and ("/" not in path or has_file_name(posixpath.basename(path)))
        may_be_new = creates and names_one(path) and not path.startswith("~")
        yield TaskFile(word, exists=False, may_be_new=may_be_new, kind="file" if is_file else "folder")
