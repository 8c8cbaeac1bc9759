"""How the tests of a JavaScript project are run, from its package.json."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from reknit.core.repository.manifest_text import read_json, table
from reknit.core.testing.command import TestCommand
from reknit.core.testing.runners import javascript
from reknit.core.testing.runners.call import RunnerCall
from reknit.core.testing.runners.npm_script import has_own_runner, take_apart

Files = Mapping[str, str | None]

_ORIGIN = "package.json"
_MOCHA_CONFIG = re.compile(r"\.mocharc\.(?:c?js|json|jsonc|ya?ml)")
_OLD_MOCHA = re.compile(r"[~^>=v ]{0,9}[0-5](?![0-9])")
_PLAYWRIGHT_CONFIG = re.compile(r"playwright\.config\.[cm]?[jt]s")


def find(files: Files) -> Iterator[TestCommand]:
    """What the test script runs; else a runner among the packages; else the test script by its exit code."""
    package = read_json(files.get(_ORIGIN))
    scripts = {name: text for name, text in table(package, "scripts").items() if isinstance(text, str)}
    script = scripts.get("test", "")
    command = take_apart(scripts, _ORIGIN) or (None if has_own_runner(scripts) else _by_package(package))
    if command:
        yield _fitting(command, package)
    elif script and "no test specified" not in script:
        manager = _package_manager(files)
        yield TestCommand("npm", (manager, "test"), "exit code", origin=_ORIGIN, env=(("CI", "true"),))
    elif package:
        yield from _by_settings(files)


def _fitting(command: TestCommand, package: Mapping[str, Any]) -> TestCommand:
    """A mocha before 6 stops at an option that it does not know."""
    if command.runner != "mocha" or not _OLD_MOCHA.match(str(_needs(package).get("mocha", ""))):
        return command
    return replace(command, argv=tuple(word for word in command.argv if word != "--no-bail"))


def _needs(package: Mapping[str, Any]) -> dict[str, Any]:
    return {**table(package, "dependencies"), **table(package, "devDependencies")}


def _by_package(package: Mapping[str, Any]) -> TestCommand | None:
    needs = _needs(package)
    if "vitest" in needs:
        return javascript.vitest(_npx("vitest"))
    return javascript.jest(_npx("jest")) if "jest" in needs else None


def _by_settings(files: Files) -> Iterator[TestCommand]:
    if any(_MOCHA_CONFIG.fullmatch(path) for path in files):
        yield javascript.mocha(_npx("mocha"))
    elif any(_PLAYWRIGHT_CONFIG.fullmatch(path) for path in files):
        yield javascript.playwright(_npx("playwright", "test"))


def _npx(*words: str) -> RunnerCall:
    return RunnerCall(("npx", "--no-install", *words), (), _ORIGIN)


def _package_manager(files: Files) -> str:
    locks = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn"}
    return next((manager for lock, manager in locks.items() if lock in files), "npm")
