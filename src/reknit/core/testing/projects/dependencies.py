"""Which other projects of the repository a project depends on: a fix for its tests may belong there."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

MANIFESTS = (
    "package.json", "pyproject.toml", "setup.cfg", "setup.py", "requirements.txt", "Cargo.toml", "go.mod", "pom.xml",
    "build.gradle", "build.gradle.kts",
)  # fmt: skip
"""Files of a project that name it or what it depends on."""

_NAMES = {
    "setup.cfg": re.compile(r"^name\s*=\s*(\S+)", re.M),
    "setup.py": re.compile(r"\bname\s*=\s*['\"]([^'\"]+)"),
    "go.mod": re.compile(r"^module\s+(\S+)", re.M),
    "pom.xml": re.compile(r"<artifactId>([^<]+)</artifactId>"),
}
_WORD = re.compile(r"[\w@/-]+")
_SEPARATORS = re.compile(r"[_.]")


def depends_on(project: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Both as texts of their manifests by file name: whether one names the other."""
    words = {word for text in project.values() for word in _WORD.findall(_plain(text))}
    last = {word.rpartition("/")[2] for word in words}
    names = (_plain(name) for file, text in other.items() for name in _declared(file, text))
    return any(name in words or name in last for name in names)


def _plain(text: str) -> str:
    """Python treats `my_lib`, `my.lib` and `My-Lib` as one name."""
    return _SEPARATORS.sub("-", text.lower())


def _declared(file: str, text: str) -> Iterator[str]:
    if file in _NAMES:
        found = _NAMES[file].search(text)
        names = [found[1]] if found else []
    elif file == "package.json":
        names = [_at(_json(text), "name")]
    else:
        table = _toml(text)
        names = [_at(table, *path) for path in (("project", "name"), ("tool", "poetry", "name"), ("package", "name"))]
    yield from filter(None, names)


def _at(value: Any, *path: str) -> str:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _toml(text: str) -> Any:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return None
