"""Playwright suites beside the tests that a project runs by itself: they need browsers and a server, so only tests of
theirs that a person names are run."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from reknit.core.repository.manifest_text import read_json, table
from reknit.core.repository.paths import is_below, is_foreign
from reknit.core.testing.command import TestCommand
from reknit.core.testing.detect import Files
from reknit.core.testing.runners import javascript
from reknit.core.testing.runners.call import RunnerCall
from reknit.core.testing.runners.npm_script import take_apart

_PACKAGE = "package.json"
_TEST_FOLDER = re.compile(r"""\btestDir\s{0,9}:\s{0,9}(["'`])([^"'`$\n]{1,300})\1""")
_IMPORT = "@playwright/test"
_CHANGING = ("-u", "--update-snapshots", "--list", "--last-failed", "--only-changed")
"""Options of scripts that do something else than run the tests."""


def browser_tests(files: Files, projects: Sequence[TestCommand]) -> tuple[TestCommand, ...]:
    """One command per settings file of Playwright that none of the projects uses. `files`: as for `detect`."""
    configs = sorted(
        path for path in files if posixpath.basename(path) in javascript.PLAYWRIGHT_CONFIGS and not is_foreign(path)
    )
    used = {project.folder for project in projects if project.runner == "playwright"}
    found = (_command(config, files) for config in configs)
    return tuple(command for command in found if command.folder not in used)


def with_named(
    projects: Sequence[TestCommand], browser: Sequence[TestCommand], named: Mapping[str, str]
) -> list[TestCommand]:
    """The projects, and those browser tests that were named. `named`: name -> the text of its file, or empty."""
    more = [narrowed for command in browser if (narrowed := _narrowed(command, named))]
    return [*projects, *more]


def _narrowed(command: TestCommand, named: Mapping[str, str]) -> TestCommand | None:
    """None: none of the names is of this suite."""
    places = [posixpath.join(command.folder, folder) for folder in command.within]
    inside = any(is_below(f"{name}/", place) for name in named for place in places)
    texts = [name for name, text in named.items() if _IMPORT in text and is_below(name, command.folder)]
    if not inside and not texts:
        return None
    files = {posixpath.relpath(name.partition("::")[0], command.folder or ".") for name in texts}
    return replace(command, within=(*command.within, *sorted(files)))


def _command(config: str, files: Files) -> TestCommand:
    folder = _package_folder(config, files)
    place = posixpath.relpath(config, folder or ".")
    scripts = table(read_json(files.get(posixpath.join(folder, _PACKAGE))), "scripts")
    texts = {name: text for name, text in scripts.items() if isinstance(text, str)}
    command = min(_scripted(texts, place), key=lambda each: len(each.argv), default=None) or _plain(place)
    return replace(command, folder=folder, within=_within(files.get(config) or "", posixpath.dirname(place)))


def _package_folder(config: str, files: Files) -> str:
    """Where its packages are, and it is called from: also a folder of tests may have a package.json of its own."""
    folder = posixpath.dirname(config)
    above = folder
    while above and posixpath.join(above, _PACKAGE) not in files:
        above = posixpath.dirname(above)
    return above if posixpath.join(above, _PACKAGE) in files else folder


def _scripted(scripts: Mapping[str, str], config: str) -> Iterator[TestCommand]:
    """What scripts of the package call: they know the build that comes first, the settings file and variables."""
    for name in scripts:
        command = take_apart(scripts, _PACKAGE, name)
        if command and command.runner == "playwright" and not any(word in _CHANGING for word in command.argv):
            given = _config_of(command.argv)
            if given == config or (not given and "/" not in config):
                yield command


def _config_of(argv: Sequence[str]) -> str:
    for number, word in enumerate(argv):
        name, has_value, value = word.partition("=")
        if name in ("-c", "--config"):
            given = value if has_value else "".join(argv[number + 1 : number + 2])
            return posixpath.normpath(given)
    return ""


def _plain(config: str) -> TestCommand:
    given = (f"--config={config}",) if "/" in config else ()
    return javascript.playwright(RunnerCall(("npx", "--no-install", "playwright", "test"), given, _PACKAGE))


def _within(text: str, folder: str) -> tuple[str, ...]:
    """The folders of its tests; none: only their text shows which they are."""
    given = [posixpath.normpath(posixpath.join(folder, each[1])) for each in _TEST_FOLDER.findall(text)]
    return tuple(dict.fromkeys(place for place in given or [folder] if place and not place.startswith((".", "/"))))
