"""Settings of the test run in manifests that also have other ones: who may change a dependency may not change these."""

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from reknit.core.repository.change import FileChange
from reknit.core.repository.manifest_text import has_repeated_keys, read_json, read_toml, table

_OF_NPM = ("jest", "mocha", "ava", "vitest", "tap", "nyc", "c8")
_OF_PYPROJECT = ("pytest", "tox", "nox")


def changed_test_settings(file: FileChange) -> Iterator[str]:
    """What decides how the tests run, if it is not what it was; a file that is new or gone has nothing to compare."""
    name = posixpath.basename(file.path)
    if file.before is None or file.after is None:
        return
    if name == "package.json":
        if has_repeated_keys(file.text_after):
            yield "has a key twice"
        old, new = read_json(file.text_before), read_json(file.text_after)
        if _scripts_change(table(old, "scripts"), table(new, "scripts")):
            yield "has another `scripts`"
        yield from (f"has another `{key}`" for key in _OF_NPM if old.get(key) != new.get(key))
    if name == "pyproject.toml":
        old_tools, new_tools = (table(read_toml(text), "tool") for text in (file.text_before, file.text_after))
        yield from (f"has another `tool.{key}`" for key in _OF_PYPROJECT if old_tools.get(key) != new_tools.get(key))


def _scripts_change(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """A script that was there is another one now, or one is added that runs before or after it."""
    around = {f"{place}{name}" for name in old for place in ("pre", "post")}
    return any(new.get(name) != script for name, script in old.items()) or not around.isdisjoint({*new} - {*old})
