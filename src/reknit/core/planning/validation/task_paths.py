"""Finds the files that a task's title names: which of them exist, and which the task may create."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from reknit.core.gate.path_pattern import is_exact_path, matches
from reknit.core.planning.validation.file_names import (
    find_tracked_path,
    find_usual_name,
    find_usual_path,
    is_file_name,
    is_path,
    may_be_a_plain_word,
)
from reknit.core.repository.paths import is_config, is_foreign

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_ABOUT = frozenset(
    {
        "about", "after", "against", "before", "by", "following", "for", "from", "inside", "like", "of", "on", "onto",
        "per", "than", "to", "using", "via", "with",
    }
)  # fmt: skip
"""A path after these exists already: `add tests for a.py`, `add a section to README.md`."""
_PLACES = frozenset({"in", "under", "at", "below"})
_NAMES = frozenset({"as", "called", "named", "into"})
_FILES = frozenset(
    {
        "adr", "config", "configuration", "directory", "doc", "docs", "document", "documentation", "file", "files",
        "folder", "guide", "guides", "module", "modules", "package", "page", "pages", "record", "runbook", "script",
        "scripts", "spec", "specs", "template", "templates", "test", "tests", "workflow", "workflows",
    }
)  # fmt: skip
"""Things that are files: one that is added `in` a path may be that path; a retry that is added `in` it is not."""
Kind = Literal["file", "folder", "pattern"]
_TOKENS = re.compile(r"`[^`\n]{1,300}`|[^\s\"'`()<>,;!|“”‘’«»]+")
_ARROW = re.compile("[-=]>|→")
_PLACE = re.compile(r":\d.*|#L\d.*|::.*", re.DOTALL)
_WILDCARDS = re.compile(r"[*?]+/?")
_MAX_TITLE_CHARS = 1_000
_MAX_FILES_PER_NAME = 20
"""Files of one name: with more, the name does not say which."""


def _inflect(*verbs: str) -> frozenset[str]:
    """Return all forms: `add` -> add, adds, added, adding."""
    forms: set[str] = set()
    for verb in verbs:
        stem = verb.removesuffix("e")
        forms |= {verb, f"{verb}s", f"{stem}ed", f"{stem}ing"}
    return frozenset(forms)


_CREATES = _inflect(
    "add", "create", "scaffold", "backfill", "introduce", "generate", "draft", "bootstrap", "initialise", "initialize",
    "establish", "author", "re-add", "recreate", "implement", "provide", "define", "publish",
) | {"write", "writes", "wrote", "written", "writing", "new"}  # fmt: skip
_CONFIGURES = _inflect("configure", "enable") | {"set", "sets", "setup"}
"""A configuration file that follows may be new: `configure dependabot in .github/dependabot.yml`."""
_MOVES = _inflect("move", "rename", "extract", "convert", "migrate") | {
    "split", "splits", "splitting", "copy", "copies", "copied", "copying",
}  # fmt: skip
"""A path after `to` or `into` is new."""
_CHANGES = _inflect(
    "fix", "update", "refresh", "refactor", "remove", "delete", "rewrite", "repair", "correct", "clean", "edit",
    "change", "replace", "use", "test", "check", "verify", "review", "read", "call", "document", "simplify", "extend",
    "bump", "reorder", "sort", "adjust", "align", "harden", "deprecate", "expand",
) | {"fixes", "modify", "modifies", "drop", "drops", "run", "runs"}  # fmt: skip


class Creation:
    """The state of a reader that goes through a title from left to right and decides if the next file is new."""

    def __init__(self) -> None:
        self._verb = ""
        self._is_file = False
        self.is_next_new = False

    @property
    def configures(self) -> bool:
        return self._verb == "configures"

    def read(self, prose: str) -> None:
        """Read the words between two paths, or before the first."""
        for word in _WORD.findall(prose.lower()):
            self._read(word)

    def _read(self, word: str) -> None:
        if word in _CREATES:
            self._verb, self._is_file, self.is_next_new = "creates", False, True
        elif word in _MOVES:
            self._verb, self.is_next_new = "moves", False
        elif word in _CONFIGURES:
            self._verb, self.is_next_new = "configures", False
        elif word in _ABOUT:
            self.is_next_new = self._verb == "moves" and word == "to"
        elif word in _PLACES:
            self.is_next_new = self._verb == "creates" and self._is_file
        elif word in _NAMES:
            self.is_next_new = self._verb in ("creates", "moves")
        elif word in _FILES:  # some are verbs as well: what was said before decides
            self._is_file = True
        elif word in _CHANGES:
            self._verb, self.is_next_new = "", False


@dataclass(frozen=True)
class TaskFile:
    """A file, folder or pattern that a title names."""

    path: str
    """The tracked path, or the one to create."""
    exists: bool
    may_be_new: bool
    """The title says that the task creates it."""
    kind: Kind = "file"


class _Tree:
    """Indexes of all tracked paths. Each is built once: there may be 100,000 paths, and hundreds of lookups."""

    def __init__(self, tracked: Collection[str]) -> None:
        self.paths = tracked if isinstance(tracked, frozenset | set) else frozenset(tracked)

    @cached_property
    def by_lower(self) -> dict[str, str]:
        """Map lower case to path: the first by name, if two differ only by case."""
        return {path.lower(): path for path in sorted(self.paths, reverse=True)}

    @cached_property
    def top(self) -> frozenset[str]:
        return frozenset(folder for folder in self.folders if "/" not in folder)

    @cached_property
    def folders(self) -> frozenset[str]:
        folders: set[str] = set()
        for path in self.paths:
            folder = posixpath.dirname(path)
            while folder and folder not in folders:
                folders.add(folder)
                folder = posixpath.dirname(folder)
        return frozenset(folders)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        paths_by_name: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.paths:
            paths_by_name[posixpath.basename(path)].append(path)
        return paths_by_name

    def find_by_name(self, name: str) -> list[str]:
        """Return the paths of a file named without its folder; not those of vendored files."""
        return sorted(path for path in self._by_name.get(name, ()) if "/" in path and not is_foreign(path))

    def has_match(self, pattern: str) -> bool:
        whole = pattern if "/" in pattern else f"**/{pattern}"
        first, *_, last = _WILDCARDS.split(whole)
        near = (path for path in self.paths if path.startswith(first) and path.endswith(last))  # most are not
        return any(matches(whole, path) for path in near)


def find_task_files(titles: Iterable[str], tracked: Collection[str]) -> list[tuple[TaskFile, ...]]:
    """Return the files of each title, in its order, each path once. A file that an earlier title creates exists."""
    tree, created, files_by_title = _Tree(tracked), set[str](), list[tuple[TaskFile, ...]]()
    for title in titles:
        files = _find_title_files(title, tree)
        files = tuple(replace(file, exists=file.exists or file.path in created) for file in files)
        created |= {file.path for file in files if file.may_be_new and file.kind == "file" and not file.exists}
        files_by_title.append(files)
    return files_by_title


def _find_title_files(title: str, tree: _Tree) -> tuple[TaskFile, ...]:
    creation = Creation()
    title = _ARROW.sub(" to ", title)
    files_by_path: dict[str, TaskFile] = {}
    for token in _TOKENS.finditer(title[:_MAX_TITLE_CHARS]):
        files = tuple(_resolve_token(token[0], tree, creates=creation.is_next_new))
        if creation.configures:
            files = tuple(replace(file, may_be_new=is_config(file.path) and is_exact_path(file.path)) for file in files)
        if not files and not token[0].startswith("`"):  # `git add` creates no file
            creation.read(token[0])
        for file in files:
            files_by_path.setdefault(file.path, file)
    return tuple(files_by_path.values())


def _resolve_token(token: str, tree: _Tree, *, creates: bool) -> Iterator[TaskFile]:
    """Yield the files that one word, or one piece of code between backticks, names."""
    quoted = token.startswith("`")
    text = token.strip("`")
    if text not in tree.paths and len(text.split()) > 1:  # a command
        for word in text.split():
            yield from _resolve_token(f"`{word}`", tree, creates=False)
        return
    word = text if text in tree.paths else _trim_token(text, tree)
    if word in tree.paths:
        yield TaskFile(word, exists=True, may_be_new=creates)
    elif key := find_usual_name(word):
        yield from _resolve_usual_name(word, key, tree, creates=creates)
    elif "\\" in word and is_file_name(word.rpartition("\\")[2]):  # a path of another system
        yield TaskFile(word, exists=False, may_be_new=False)
    elif is_path(word, tree.top, quoted=quoted):
        yield from _resolve_path(word, tree, creates=creates)


def _trim_token(text: str, tree: _Tree) -> str:
    """Return the token without punctuation around it, and without a line or a test in the file."""
    word = _PLACE.sub("", text).rstrip(".:?…").removeprefix("./")
    return word if word in tree.paths else word.strip("[]")


def _resolve_usual_name(word: str, key: str, tree: _Tree, *, creates: bool) -> Iterator[TaskFile]:
    path = find_tracked_path(key, tree.by_lower)
    if path:
        yield TaskFile(path, exists=True, may_be_new=creates)
    elif creates or not may_be_a_plain_word(word):
        yield TaskFile(find_usual_path(key), exists=False, may_be_new=creates)


def _resolve_path(word: str, tree: _Tree, *, creates: bool) -> Iterator[TaskFile]:
    path = word.rstrip("/")
    if "*" in word or "?" in word:
        yield TaskFile(word, tree.has_match(word), may_be_new=False, kind="pattern")
    elif path in tree.folders:
        yield TaskFile(f"{path}/", exists=True, may_be_new=creates, kind="folder")
    elif path.lower() in tree.by_lower and path == word:
        yield TaskFile(tree.by_lower[path.lower()], exists=True, may_be_new=creates)
    elif others := tree.find_by_name(word) if "/" not in word else []:
        for other in others[:_MAX_FILES_PER_NAME]:
            yield TaskFile(other, exists=True, may_be_new=creates)
    else:
        is_file = path == word and ("/" not in path or is_file_name(posixpath.basename(path)))
        may_be_new = creates and is_exact_path(path) and not path.startswith("~")
        yield TaskFile(word, exists=False, may_be_new=may_be_new, kind="file" if is_file else "folder")
