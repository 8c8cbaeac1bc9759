"""Which files of a repository its test command executes: a change to these decides what a test run reports."""

import json
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping

from reknit.core.testing.command import GLOB_WORD, WHOLE_WORD, TestCommand

_BREAKS = re.compile(r"[\s\"'`=;|&()<>$,@]+")
_TEST_RECIPE = re.compile(r"^test[ \t]*:(?!=)[^\n]*\n((?:\t[^\n]*\n?)+)", re.M)
_NPM_SCRIPTS = ("pretest", "test", "posttest")


def started_files(tests: TestCommand, manifest: str, tracked: Collection[str]) -> tuple[str, ...]:
    """`manifest`: the text of its `manifest`, where a Makefile or package.json says what the command does."""
    own = (word.removeprefix(WHOLE_WORD).removeprefix(GLOB_WORD) for word in tests.argv)
    words = [*own, *_words(_recipe(tests.runner, manifest))]
    named = {posixpath.normpath(posixpath.join(tests.folder, path)) for word in words for path in _paths(word)}
    return tuple(sorted(path for path in named if path in tracked))


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
    if isinstance(scripts, dict):
        yield from (str(scripts[name]) for name in _NPM_SCRIPTS if name in scripts)


def _words(text: str) -> list[str]:
    return [word for word in _BREAKS.split(text) if word]


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
