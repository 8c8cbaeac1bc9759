"""Rule that the tests run as before: nothing replaces their runner or changes its settings."""

import posixpath
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from reknit.core.gate.scope import Scope
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.manifest_text import get_table, has_repeated_keys, read_json, read_toml
from reknit.core.repository.paths import is_python

_OF_NPM = ("jest", "mocha", "ava", "vitest", "tap", "nyc", "c8")
_OF_PYPROJECT = ("pytest", "tox", "nox")
# Modules that a test run imports besides the project: the runner, its plugins and their dependencies.
_TEST_STACK = re.compile(
    r"_?pytest|pluggy|pytest_\w+|_?hypothesis\w*|coverage|xdist|execnet|py|iniconfig|packaging|exceptiongroup|tomli|pygments"
    r"|attrs?|typing_extensions|sortedcontainers|colorama|mock|nose2?|_?distutils\w*|pkg_resources|setuptools|(?:site|user)customize"
)


def find_changed_settings(file: FileChange) -> Iterator[str]:
    """Yield each changed setting of the test run in a manifest; nothing for a new or removed file."""
    name = posixpath.basename(file.path)
    if file.before is None or file.after is None:
        return
    if name == "package.json":
        if has_repeated_keys(file.text_after):
            yield "has a key twice"
        old, new = read_json(file.text_before), read_json(file.text_after)
        if _is_other_script(get_table(old, "scripts"), get_table(new, "scripts")):
            yield "has another `scripts`"
        yield from (f"has another `{key}`" for key in _OF_NPM if old.get(key) != new.get(key))
    if name == "pyproject.toml":
        old_tools, new_tools = (get_table(read_toml(text), "tool") for text in (file.text_before, file.text_after))
        yield from (f"has another `tool.{key}`" for key in _OF_PYPROJECT if old_tools.get(key) != new_tools.get(key))


def _is_other_script(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Return True if a script changed, or one was added that runs before or after it."""
    around = {f"{place}{name}" for name in old for place in ("pre", "post")}
    return any(new.get(name) != script for name, script in old.items()) or not around.isdisjoint({*new} - {*old})


def find_runner_tampering(change: Change, scope: Scope) -> Iterator[Refusal]:
    """Refuse modules that shadow the test runner, and changes of its settings."""
    for file in change.files:
        if file.before is None and is_python(file.path) and _shadows_a_module(file.path, scope.project_root):
            yield Refusal(
                "runner-tampering", file.path, f"{file.path} would shadow a module of Python or of the test runner"
            )
        for change_of_settings in find_changed_settings(file):
            message = f"{file.path} {change_of_settings}, which decides how the tests run"
            yield Refusal("runner-tampering", file.path, message)


def _shadows_a_module(path: str, project_root: str) -> bool:
    """Return True if the module is in a folder of the import path; inside a package, `types.py` is harmless."""
    package = path.removesuffix("/__init__.py").removesuffix(".py")
    roots = {"", "src", project_root, posixpath.join(project_root, "src")}
    name = posixpath.basename(package)
    return posixpath.dirname(package) in roots and is_module_of_a_test_run(name)


def is_module_of_a_test_run(name: str) -> bool:
    """Return True if it is a module of Python, of the runner or of its dependencies."""
    return name in sys.stdlib_module_names or bool(_TEST_STACK.fullmatch(name))
