"""Finds the files that a test command executes. A change to one of them can decide the result of the tests."""

import json
import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from reknit.core.repository.paths import TEST_SETTINGS
from reknit.core.testing.command import GLOB_WORD, WHOLE_WORD, TestCommand

_BREAKS = re.compile(r"[\s\"'`;|&()<>$@]+")
_PARTS = re.compile(r"[=,]+")
# Options whose value names files to measure, to leave out or to write. Values of all other options count as executed,
# because they may be plugins (`-p`, `-r`, `--require`, `--import`, `--loader`, `--reporter`) or settings.
_NOT_EXECUTED = re.compile(
    r"--(?:(?:test-)?(?:coverage[.-])?(?:include|exclude)|ignore(?:-glob)?|deselect|source|omit|src|cov(?:-report)?|extension|collectCoverageFrom"
    r"|\w+PathIgnorePatterns|findRelatedTests|watch-(?:path|files|ignore)|junit-?xml|output-?[fF]ile|reports?-dir|temp-directory|log-file)"
)
_TEST_RECIPE = re.compile(r"^test[ \t]*:(?!=)[^\n]*\n((?:\t[^\n]*\n?)+)", re.M)
_SHELL = (".sh", ".bash", ".zsh", ".mk", ".bat", ".cmd", ".ps1")
_COMPILED = (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".m", ".rs", ".go", ".java", ".kt", ".scala", ".cs", ".swift")
"""Sources that a script compiles; they are mostly the product."""
_COMMENT = re.compile(r"^[ \t]*#[^\n]*", re.M)
_MAKE = frozenset({"makefile", "gnumakefile", "justfile"})
_SHEBANGS = ("#!/bin/sh", "#!/bin/bash", "#!/usr/bin/env sh", "#!/usr/bin/env bash", "#!/usr/bin/bash")
_SET_UP = re.compile(
    r"\b(?:setupFiles\w*|globalSetup|globalTeardown|testEnvironment|testRunner|snapshotSerializers|require|pytest_plugins)\b[\"']?"
    r"\s{0,9}[:=]\s{0,9}(\[[^\]]{0,2000}\]|[\"'][^\"'\n]{0,300}[\"'])"
)
_NPM_RUN = re.compile(r"\b(?:npm|yarn|pnpm|bun)\s{1,9}(?:run(?:-script)?\s{1,9})?([\w:.-]{1,80})")
_NPM_SCRIPTS = ("pretest", "test", "posttest")
MAX_READ_FILES = 40
"""Maximum number of scripts and settings that are read to find the executed files."""


def find_started_files(tests: TestCommand, manifest: str, tracked: Collection[str]) -> tuple[str, ...]:
    """Return the files that the command starts. `manifest`: text of its Makefile or package.json."""
    command_words = [word.removeprefix(WHOLE_WORD).removeprefix(GLOB_WORD) for word in tests.argv]
    words = [*_drop_unexecuted(command_words), *_split_words(_read_recipe(tests.runner, manifest))]
    paths = {posixpath.normpath(posixpath.join(tests.folder, path)) for word in words for path in _list_paths(word)}
    return tuple(sorted(path for path in paths if path in tracked))


def find_test_settings(folder: str, tracked: Collection[str]) -> tuple[str, ...]:
    """Return the settings files of a runner that starts in that folder, and every `conftest.py`."""
    return tuple(
        path
        for path in sorted(tracked, key=lambda path: (path.count("/"), path))
        if TEST_SETTINGS.fullmatch(posixpath.basename(path).lower())
        and (posixpath.dirname(path) == folder or posixpath.basename(path) == "conftest.py")
    )


def find_named_files(path: str, text: str, folder: str, tracked: Collection[str]) -> tuple[str, ...]:
    """Return the files that an executed file names: any file in a script, set-up files in settings.

    `folder`: the test command's working folder. Programs of other kinds are not read: they mostly import the product.
    """
    name = posixpath.basename(path).lower()
    if name.endswith(_SHELL) or name in _MAKE or text.startswith(_SHEBANGS):
        words = _split_words(_COMMENT.sub("", text))
    elif TEST_SETTINGS.fullmatch(name):
        words = [word for match in _SET_UP.finditer(text) for word in _split_words(match[1])]
    else:
        return ()
    modules = {word for option, word in pairwise(words) if option == "-m"}
    modules |= {*words} if TEST_SETTINGS.fullmatch(name) else set()
    files = {word for word in words if ("/" in word or "." in word) and not word.endswith(_COMPILED)}
    candidates = files | {path for word in modules for path in _list_paths(word)}
    places = (folder, posixpath.dirname(path))
    paths = {posixpath.normpath(posixpath.join(place, candidate)) for place in places for candidate in candidates}
    return tuple(sorted(file for file in paths if file in tracked and file != path))


def _read_recipe(runner: str, manifest: str) -> str:
    if runner == "make":
        return "\n".join(match.group(1) for match in _TEST_RECIPE.finditer(manifest))
    if runner == "npm":
        return "\n".join(_list_npm_scripts(manifest))
    return ""


def _list_npm_scripts(manifest: str) -> Iterator[str]:
    try:
        scripts = json.loads(manifest).get("scripts", {})
    except (ValueError, AttributeError):
        return
    if not isinstance(scripts, dict):
        return
    waiting, visited = [*_NPM_SCRIPTS], set[str]()
    while waiting:
        name = waiting.pop(0)
        if name not in visited and name in scripts:
            yield str(scripts[name])
            waiting += _NPM_RUN.findall(str(scripts[name]))
        visited.add(name)


def _split_words(text: str) -> list[str]:
    executed = _drop_unexecuted([word for word in _BREAKS.split(text) if word])
    return [part for word in executed for part in _PARTS.split(word) if part]


def _drop_unexecuted(words: Sequence[str]) -> list[str]:
    """Return the words without the options in `_NOT_EXECUTED` and their values."""
    pairs = ((previous.removesuffix("="), word.partition("=")[0], word) for previous, word in pairwise(("", *words)))
    return [word for *options, word in pairs if not any(map(_NOT_EXECUTED.fullmatch, options))]


def _list_paths(word: str) -> Iterator[str]:
    """Yield the word as a path, and as the name of a Python module."""
    yield word
    yield word.replace(".", "/") + ".py"
    yield word.replace(".", "/") + "/__main__.py"


def add_link_targets(files: Collection[str], links: Mapping[str, str]) -> tuple[str, ...]:
    """Return these files, and the targets of those that are links, because the text is there."""
    targets = {
        posixpath.normpath(posixpath.join(posixpath.dirname(path), links[path])) for path in files if path in links
    }
    return tuple(sorted({*files, *targets}))


def find_executed_files(
    read: Callable[[str], str], projects: Sequence[TestCommand], tracked: Sequence[str]
) -> tuple[str, ...]:
    """Return the files that the test commands execute. `read`: returns a file's text on base; empty if it has none."""
    tracked_paths, executed, read_count = frozenset(tracked), set[str](), 0
    for project in projects:
        started = find_started_files(project, read(project.manifest), tracked_paths)
        executed.update(started)
        waiting, visited = [*started, *find_test_settings(project.folder, tracked_paths)], set[str]()
        while waiting and read_count < MAX_READ_FILES:
            path = waiting.pop(0)
            if path in visited:
                continue
            visited.add(path)
            read_count += 1
            further = find_named_files(path, read(path), project.folder, tracked_paths)
            executed.update(further)
            waiting += further
    return tuple(sorted(executed))
