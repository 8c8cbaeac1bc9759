"""Which files the manifests of base ship to the project's users: these are product, whatever they are called."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from reknit.core.repository.manifest_text import read_json, read_toml, table
from reknit.core.repository.paths import is_test_file, test_folder_of

_NAMES = ("pyproject.toml", "setup.cfg", "setup.py", "package.json")
_SETUP = re.compile(
    r"(?<![\w.-])(?:name|py_modules|packages)[ \t]*=\s*"
    r"(\[[^\]]{0,2000}\]|[\"'][\w.-]+[\"']|[\w.-]+(?:[ \t]*\n[ \t]+[\w.-]+)*)"
)
_BUILDERS = (
    ("project", "name"), ("tool", "poetry", "name"), ("tool", "poetry", "packages"), ("tool", "flit"),
    ("tool", "setuptools"), ("tool", "hatch", "build"), ("tool", "pdm", "build"), ("tool", "uv", "build-backend"),
)  # fmt: skip
_NOT_SHIPPED = re.compile(r"exclude.*|sdist|where|sources|package-dir|hooks|dev-.*")
"""Keys of builders: what they leave out, and where they look."""
_ENTRIES = ("files", "main", "module", "browser", "types", "bin", "exports")


def folders_above(path: str) -> Iterator[str]:
    """Yield the folders around a path, the nearest first and the repository's own, which is empty, last."""
    while path:
        path = posixpath.dirname(path)
        yield path


def manifests_to_read(changed: Sequence[str], tracked: Collection[str]) -> tuple[str, ...]:
    """Return the manifests above the changed files."""
    folders = {folder for path in changed for folder in folders_above(path)}
    wanted = {posixpath.join(folder, name) for folder in folders for name in _NAMES}
    return tuple(sorted(wanted.intersection(tracked)))


def shipped_places(manifests: Mapping[str, str], tracked: Collection[str]) -> frozenset[str]:
    """Return files and folders; `manifests`: path -> text."""
    known = {*tracked, *(folder for path in tracked for folder in folders_above(path))} - {""}
    places = {place for path, text in manifests.items() for place in _places(path, text, tracked)}
    return frozenset(places & known | {folder for folder in known if f"/{folder}".endswith("/src/main")})


def _places(path: str, text: str, tracked: Collection[str]) -> Iterator[str]:
    folder, name = posixpath.split(path)
    if name == "package.json":
        package = read_json(text)
        words = _strings([package.get(entry) for entry in _ENTRIES if not package.get("private")])
        yield from (posixpath.join(folder, _path(word)) for word in words)
        return
    source, manifest = posixpath.join(folder, "src"), read_toml(text) if name.endswith(".toml") else {}
    values = [table(manifest, *above).get(last) for *above, last in _BUILDERS]
    for word in _strings(values) if manifest else re.findall(r"[\w.-]+", " ".join(_SETUP.findall(text))):
        for each in (_path(word), word.lower().replace("-", "_")):
            yield from (posixpath.join(place, each + ending) for place in (folder, source) for ending in ("", ".py"))
    yield from _packages(source, tracked)
    packages = _packages(folder, tracked)
    # A builder takes the only package there is; one with tests right inside may be a package of tests.
    if len(packages) == 1 and not any(posixpath.dirname(each) in packages and is_test_file(each) for each in tracked):
        yield from packages


def _packages(folder: str, tracked: Collection[str]) -> list[str]:
    found = (posixpath.dirname(path) for path in tracked if path.endswith("/__init__.py"))
    return [each for each in found if posixpath.dirname(each) == folder and not test_folder_of(f"{each}/")]


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (word for each in value for word in _strings(each))
    elif isinstance(value, dict) and value.get("format") != "sdist":
        yield from (word for key, each in value.items() if not _NOT_SHIPPED.fullmatch(key) for word in _strings(each))


def _path(word: str) -> str:
    """Return the part before a pattern; a pattern without one names nothing."""
    return posixpath.normpath(word.partition("*")[0] or "*").removeprefix("/")
