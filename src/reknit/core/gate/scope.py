"""Describes what one attempt may change, and what the tracked files of base show about the changed files."""

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reknit.core.gate.waiver import Waivers
from reknit.core.repository.manifest_text import get_table, read_json, read_toml
from reknit.core.repository.paths import find_test_folder, is_below, is_test_file, walk_up

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
"""Keys by which builders exclude files, or say where files are."""
_ENTRIES = ("files", "main", "module", "browser", "types", "bin", "exports")
MAX_NEAR_FILES = 5_000


def list_manifests(changed: Sequence[str], tracked: Collection[str]) -> tuple[str, ...]:
    """Return the manifests above the changed files."""
    folders = {folder for path in changed for folder in walk_up(posixpath.dirname(path))}
    candidates = {posixpath.join(folder, name) for folder in folders for name in _NAMES}
    return tuple(sorted(candidates.intersection(tracked)))


def find_shipped_places(manifests: Mapping[str, str], tracked: Collection[str]) -> frozenset[str]:
    """Return the files and folders that manifests ship to users. `manifests`: path -> text."""
    tracked_places = {*tracked, *(folder for path in tracked for folder in walk_up(posixpath.dirname(path)))} - {""}
    places = {place for path, text in manifests.items() for place in _find_places(path, text, tracked)}
    return frozenset(
        places & tracked_places | {folder for folder in tracked_places if f"/{folder}".endswith("/src/main")}
    )


def _find_places(path: str, text: str, tracked: Collection[str]) -> Iterator[str]:
    folder, name = posixpath.split(path)
    if name == "package.json":
        package = read_json(text)
        words = _iterate_strings([package.get(entry) for entry in _ENTRIES if not package.get("private")])
        yield from (posixpath.join(folder, _to_literal_path(word)) for word in words)
        return
    source, manifest = posixpath.join(folder, "src"), read_toml(text) if name.endswith(".toml") else {}
    values = [get_table(manifest, *above).get(last) for *above, last in _BUILDERS]
    for word in _iterate_strings(values) if manifest else re.findall(r"[\w.-]+", " ".join(_SETUP.findall(text))):
        for spelling in (_to_literal_path(word), word.lower().replace("-", "_")):
            yield from (
                posixpath.join(place, spelling + ending) for place in (folder, source) for ending in ("", ".py")
            )
    yield from _find_packages(source, tracked)
    packages = _find_packages(folder, tracked)
    # A builder ships the only package in a folder; if tests are right inside, it may be a package of tests.
    if len(packages) == 1 and not any(posixpath.dirname(path) in packages and is_test_file(path) for path in tracked):
        yield from packages


def _find_packages(folder: str, tracked: Collection[str]) -> list[str]:
    folders = (posixpath.dirname(path) for path in tracked if path.endswith("/__init__.py"))
    return [
        package for package in folders if posixpath.dirname(package) == folder and not find_test_folder(f"{package}/")
    ]


def _iterate_strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (word for entry in value for word in _iterate_strings(entry))
    elif isinstance(value, dict) and value.get("format") != "sdist":
        yield from (
            word for key, entry in value.items() if not _NOT_SHIPPED.fullmatch(key) for word in _iterate_strings(entry)
        )


def _to_literal_path(word: str) -> str:
    """Return the part before the first `*`; a pattern that begins with it names no path."""
    return posixpath.normpath(word.partition("*")[0] or "*").removeprefix("/")


@dataclass(frozen=True)
class BaseFacts:
    """Facts that the files of base show about the files of a change."""

    near: frozenset[str] = frozenset()
    """Tracked files in the folders of the changed files and right above these."""
    folders: frozenset[str] = frozenset()
    """Folders of the changed files, and those above them, that base tracks."""
    mentions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Word -> tracked files that contain it, for the words that were searched for."""
    shipped: frozenset[str] = frozenset()
    """Files and folders that a manifest above the changed files ships."""
    tested: frozenset[str] = frozenset()
    """Folders around the changed files that are named like test folders and contain a file named like a test."""

    def find_mentions(self, words: Collection[str], but: str) -> Iterator[str]:
        """Return the files that contain any of the words, except the file `but`."""
        return (path for word in words for path in self.mentions.get(word, ()) if path != but)


def gather_facts(changed: Sequence[str], tracked: Collection[str], read: Callable[[str], str]) -> BaseFacts:
    """Return the facts without mentions. `read` returns the text of a tracked file."""
    folders = {folder for path in changed for folder in walk_up(posixpath.dirname(path))}
    beside = {posixpath.dirname(path) for path in changed}
    beside |= {posixpath.dirname(folder) for folder in beside}
    modules = {posixpath.join(folder, name) for folder in folders for name in ("go.mod", "__init__.py")}
    near = [path for path in tracked if posixpath.dirname(path) in beside or path in modules]
    tracked_folders = (
        {folder for path in tracked for folder in walk_up(posixpath.dirname(path))} if folders != {""} else set()
    )
    test_folders = {folder for folder in map(find_test_folder, changed) if folder}
    tests = filter(is_test_file, tracked) if test_folders else ()
    tested = {folder for path in tests for folder in test_folders if is_below(path, folder)}
    shipped = find_shipped_places({path: read(path) for path in list_manifests(changed, tracked)}, tracked)
    return BaseFacts(
        frozenset(near[:MAX_NEAR_FILES]), frozenset(folders & tracked_folders - {""}), {}, shipped, frozenset(tested)
    )


@dataclass(frozen=True)
class Scope:
    """The limits of one attempt, and the facts by which it is judged."""

    findings_files: tuple[str, ...]
    """Every file with a test that ran on base, except source files with tests inside (doctests, Rust)."""
    project_root: str
    """The folder of the failing tests' nearest manifest; empty: the whole repository."""
    changed_files: int
    changed_lines: int
    runner: str
    """The test runner's name, as in `TestCommand.runner`."""
    started_files: tuple[str, ...] = ()
    """Files of the repository that the test command executes."""
    also_in_reach: tuple[str, ...] = ()
    """Folders of other projects that the failing tests' project depends on, and single files."""
    waivers: Waivers = Waivers()
    facts: BaseFacts | None = None
    """None: unknown; only names of files and folders decide then."""
    failure: str = ""
    """The message of the failing test on base."""
    failing_text: str = ""
    """The file of the failing test on base."""
