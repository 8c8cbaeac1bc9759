"""Finds the test command of a JavaScript project in its package.json, and Playwright suites beside it.

Playwright suites need browsers and a server, so only tests that a person names are run there.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from reknit.core.languages.javascript.npm_script import has_own_runner, parse_script
from reknit.core.languages.javascript.runners import (
    PLAYWRIGHT_CONFIGS,
    make_jest_command,
    make_mocha_command,
    make_playwright_command,
    make_vitest_command,
    parse_command,
)
from reknit.core.repository.manifest_text import get_table, read_json
from reknit.core.repository.paths import is_below, is_foreign, walk_up
from reknit.core.testing.command import Files, ParseCommand, RunnerCall, TestCommand

_ORIGIN = "package.json"
_MOCHA_CONFIG = re.compile(r"\.mocharc\.(?:c?js|json|jsonc|ya?ml)")
_OLD_MOCHA = re.compile(r"[~^>=v ]{0,9}[0-5](?![0-9])")
_PLAYWRIGHT_CONFIG = re.compile(r"playwright\.config\.[cm]?[jt]s")


def find(files: Files, recognise: ParseCommand) -> Iterator[TestCommand]:
    """Yield the runner in the test script, else one in the dependencies, else the script, judged by its exit code."""
    package = read_json(files.get(_ORIGIN))
    scripts = {name: text for name, text in get_table(package, "scripts").items() if isinstance(text, str)}
    script = scripts.get("test", "")
    command = parse_script(scripts, _ORIGIN, recognise) or (
        None if has_own_runner(scripts) else _command_from_dependencies(package)
    )
    if command:
        yield _adapt_to_version(command, package)
    elif script and "no test specified" not in script:
        manager = _find_package_manager(files)
        yield TestCommand("npm", (manager, "test"), "exit code", origin=_ORIGIN, env=(("CI", "true"),))
    elif package:
        yield from _commands_from_settings(files)


def _adapt_to_version(command: TestCommand, package: Mapping[str, Any]) -> TestCommand:
    """Remove an option that mocha before version 6 does not know."""
    if command.runner != "mocha" or not _OLD_MOCHA.match(str(_dependencies(package).get("mocha", ""))):
        return command
    return replace(command, argv=tuple(word for word in command.argv if word != "--no-bail"))


def _dependencies(package: Mapping[str, Any]) -> dict[str, Any]:
    return {**get_table(package, "dependencies"), **get_table(package, "devDependencies")}


def _command_from_dependencies(package: Mapping[str, Any]) -> TestCommand | None:
    needs = _dependencies(package)
    if "vitest" in needs:
        return make_vitest_command(_npx_call("vitest"))
    return make_jest_command(_npx_call("jest")) if "jest" in needs else None


def _commands_from_settings(files: Files) -> Iterator[TestCommand]:
    if any(_MOCHA_CONFIG.fullmatch(path) for path in files):
        yield make_mocha_command(_npx_call("mocha"))
    elif any(_PLAYWRIGHT_CONFIG.fullmatch(path) for path in files):
        yield make_playwright_command(_npx_call("playwright", "test"))


def _npx_call(*words: str) -> RunnerCall:
    return RunnerCall(("npx", "--no-install", *words), (), _ORIGIN)


def _find_package_manager(files: Files) -> str:
    locks = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn"}
    return next((manager for lock, manager in locks.items() if lock in files), "npm")


_PACKAGE = "package.json"
_TEST_FOLDER = re.compile(r"""\btestDir\s{0,9}:\s{0,9}(["'`])([^"'`$\n]{1,300})\1""")
_IMPORT = "@playwright/test"
_CHANGING = ("-u", "--update-snapshots", "--list", "--last-failed", "--only-changed")
"""Options that make Playwright do something else than run all tests."""


def find_browser_suites(files: Files, projects: Sequence[TestCommand]) -> tuple[TestCommand, ...]:
    """Return a command for each Playwright configuration that no project uses."""
    configs = sorted(path for path in files if posixpath.basename(path) in PLAYWRIGHT_CONFIGS and not is_foreign(path))
    used = {project.folder for project in projects if project.runner == "playwright"}
    commands = (_browser_suite(config, files) for config in configs)
    return tuple(command for command in commands if command.folder not in used)


def add_requested_suites(
    projects: Sequence[TestCommand], browser: Sequence[TestCommand], requested: Mapping[str, str]
) -> list[TestCommand]:
    """Return the projects and the suites with requested tests. `requested`: name -> text of its file, or empty."""
    more = [narrowed for command in browser if (narrowed := _narrow_to_request(command, requested))]
    return [*projects, *more]


def _narrow_to_request(command: TestCommand, requested: Mapping[str, str]) -> TestCommand | None:
    """Limit a suite to the requested tests; None if it has none of them."""
    places = [posixpath.join(command.folder, folder) for folder in command.within]
    inside = any(is_below(f"{name}/", place) for name in requested for place in places)
    texts = [name for name, text in requested.items() if _IMPORT in text and is_below(name, command.folder)]
    if not inside and not texts:
        return None
    files = {posixpath.relpath(name.partition("::")[0], command.folder or ".") for name in texts}
    return replace(command, within=(*command.within, *sorted(files)))


def _browser_suite(config: str, files: Files) -> TestCommand:
    folder = _find_package_folder(config, files)
    place = posixpath.relpath(config, folder or ".")
    scripts = get_table(read_json(files.get(posixpath.join(folder, _PACKAGE))), "scripts")
    texts = {name: text for name, text in scripts.items() if isinstance(text, str)}
    command = min(
        _scripted_commands(texts, place), key=lambda command: len(command.argv), default=None
    ) or _unscripted_command(place)
    return replace(command, folder=folder, within=_find_test_folders(files.get(config) or "", posixpath.dirname(place)))


def _find_package_folder(config: str, files: Files) -> str:
    """Return the nearest folder above a configuration that has a package.json; its own folder if none has."""
    folder = posixpath.dirname(config)
    return next((above for above in walk_up(folder) if posixpath.join(above, _PACKAGE) in files), folder)


def _scripted_commands(scripts: Mapping[str, str], config: str) -> Iterator[TestCommand]:
    """Yield commands from scripts: these contain the build before the tests, the configuration and variables."""
    for name in scripts:
        command = parse_script(scripts, _PACKAGE, parse_command, name)
        if command and command.runner == "playwright" and not any(word in _CHANGING for word in command.argv):
            config_argument = _config_argument(command.argv)
            if config_argument == config or (not config_argument and "/" not in config):
                yield command


def _config_argument(argv: Sequence[str]) -> str:
    for number, word in enumerate(argv):
        name, has_value, value = word.partition("=")
        if name in ("-c", "--config"):
            path = value if has_value else "".join(argv[number + 1 : number + 2])
            return posixpath.normpath(path)
    return ""


def _unscripted_command(config: str) -> TestCommand:
    arguments = (f"--config={config}",) if "/" in config else ()
    return make_playwright_command(RunnerCall(("npx", "--no-install", "playwright", "test"), arguments, _PACKAGE))


def _find_test_folders(text: str, folder: str) -> tuple[str, ...]:
    """Return the folders of the tests; empty if tests may be anywhere, so that only their text shows them."""
    folders = [posixpath.normpath(posixpath.join(folder, match[1])) for match in _TEST_FOLDER.findall(text)]
    return tuple(dict.fromkeys(place for place in folders or [folder] if place and not place.startswith((".", "/"))))
