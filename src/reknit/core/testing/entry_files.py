"""Which files of a repository its test command executes: a change to these decides what a test run reports."""

import json
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from reknit.core.testing.command import GLOB_WORD, WHOLE_WORD, TestCommand

_BREAKS = re.compile(r"[\s\"'`;|&()<>$@]+")
_PARTS = re.compile(r"[=,]+")
# Options whose value names what is measured, left out or written. The value of any other one counts as executed: a
# plugin (`-p`, `-r`, `--require`, `--import`, `--loader`, `--reporter`) is, and settings (`-c`, `--config`) decide.
_NOT_EXECUTED = re.compile(
    r"--(?:(?:test-)?(?:coverage[.-])?(?:include|exclude)|ignore(?:-glob)?|deselect|source|omit|src|cov(?:-report)?|extension|collectCoverageFrom"
    r"|\w+PathIgnorePatterns|findRelatedTests|watch-(?:path|files|ignore)|junit-?xml|output-?[fF]ile|reports?-dir|temp-directory|log-file)"
)
_TEST_RECIPE = re.compile(r"^test[ \t]*:(?!=)[^\n]*\n((?:\t[^\n]*\n?)+)", re.M)
_SHELL = (".sh", ".bash", ".zsh", ".mk", ".bat", ".cmd", ".ps1")
_COMPILED = (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".m", ".rs", ".go", ".java", ".kt", ".scala", ".cs", ".swift")
"""What a script names in order to compile it is mostly the product."""
_COMMENT = re.compile(r"^[ \t]*#[^\n]*", re.M)
_MAKE = frozenset({"makefile", "gnumakefile", "justfile"})
_SHEBANGS = ("#!/bin/sh", "#!/bin/bash", "#!/usr/bin/env sh", "#!/usr/bin/env bash", "#!/usr/bin/bash")
_CONFIGURATION = re.compile(
    r"(?:vitest|vite|jest|karma|playwright|cypress|wdio)\.(?:config|conf|workspace|setup)\.\w+|\.mocharc\.\w+|package\.json"
    r"|pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|conftest\.py"
)
_SET_UP = re.compile(
    r"\b(?:setupFiles\w*|globalSetup|globalTeardown|testEnvironment|testRunner|snapshotSerializers|require|pytest_plugins)\b[\"']?"
    r"\s{0,9}[:=]\s{0,9}(\[[^\]]{0,2000}\]|[\"'][^\"'\n]{0,300}[\"'])"
)
_NPM_RUN = re.compile(r"\b(?:npm|yarn|pnpm|bun)\s{1,9}(?:run(?:-script)?\s{1,9})?([\w:.-]{1,80})")
_NPM_SCRIPTS = ("pretest", "test", "posttest")


def started_files(tests: TestCommand, manifest: str, tracked: Collection[str]) -> tuple[str, ...]:
    """`manifest`: the text of its `manifest`, where a Makefile or package.json says what the command does."""
    own = (word.removeprefix(WHOLE_WORD).removeprefix(GLOB_WORD) for word in tests.argv)
    words = [*_executed(tuple(own)), *_words(_recipe(tests.runner, manifest))]
    named = {posixpath.normpath(posixpath.join(tests.folder, path)) for word in words for path in _paths(word)}
    return tuple(sorted(path for path in named if path in tracked))


def settings_of_tests(folder: str, tracked: Collection[str]) -> tuple[str, ...]:
    """Files in which a runner that is started in that folder finds its settings, and what prepares its tests."""
    return tuple(
        path
        for path in sorted(tracked, key=lambda path: (path.count("/"), path))
        if _CONFIGURATION.fullmatch(posixpath.basename(path).lower())
        and (posixpath.dirname(path) == folder or posixpath.basename(path) == "conftest.py")
    )


def named_files(path: str, text: str, folder: str, tracked: Collection[str]) -> tuple[str, ...]:
    """What a file that the test command executes leads to: a script to all that it names, settings to their set-up.

    `folder`: where the test command runs. Other programs are not followed: what they import is mostly the product.
    """
    name = posixpath.basename(path).lower()
    if name.endswith(_SHELL) or name in _MAKE or text.startswith(_SHEBANGS):
        words = _words(_COMMENT.sub("", text))
    elif _CONFIGURATION.fullmatch(name):
        words = [word for match in _SET_UP.finditer(text) for word in _words(match[1])]
    else:
        return ()
    modules = {word for option, word in pairwise(words) if option == "-m"}
    modules |= {*words} if _CONFIGURATION.fullmatch(name) else set()
    files = {word for word in words if ("/" in word or "." in word) and not word.endswith(_COMPILED)}
    wanted = files | {each for word in modules for each in _paths(word)}
    places = (folder, posixpath.dirname(path))
    named = {posixpath.normpath(posixpath.join(place, each)) for place in places for each in wanted}
    return tuple(sorted(each for each in named if each in tracked and each != path))


def _recipe(runner: str, manifest: str) -> str:
    if runner == "make":
        return "\n".join(match.group(1) for match in _TEST_RECIPE.finditer(manifest))
    if runner == "npm":
        return "\n".join(_npm_scripts(manifest))
    return ""


def _npm_scripts(manifest: str) -> Iterator[str]:
    try:
        scripts = json.loads(manifest).get("scripts", {})
    except (ValueError, AttributeError):
        return
    if not isinstance(scripts, dict):
        return
    left, seen = [*_NPM_SCRIPTS], set[str]()
    while left:
        name = left.pop(0)
        if name not in seen and name in scripts:
            yield str(scripts[name])
            left += _NPM_RUN.findall(str(scripts[name]))
        seen.add(name)


def _words(text: str) -> list[str]:
    executed = _executed([word for word in _BREAKS.split(text) if word])
    return [part for word in executed for part in _PARTS.split(word) if part]


def _executed(words: Sequence[str]) -> list[str]:
    """Return the words without the options that only name files, and without their values."""
    pairs = ((previous.removesuffix("="), word.partition("=")[0], word) for previous, word in pairwise(("", *words)))
    return [word for *options, word in pairs if not any(map(_NOT_EXECUTED.fullmatch, options))]


def _paths(word: str) -> Iterator[str]:
    """The word as a path, or as the name of a Python module."""
    yield word
    yield word.replace(".", "/") + ".py"
    yield word.replace(".", "/") + "/__main__.py"


def with_link_targets(files: Collection[str], links: Mapping[str, str]) -> tuple[str, ...]:
    """These files, and for each link the file it points to: that one holds what the tests say."""
    targets = {
        posixpath.normpath(posixpath.join(posixpath.dirname(path), links[path])) for path in files if path in links
    }
    return tuple(sorted({*files, *targets}))
