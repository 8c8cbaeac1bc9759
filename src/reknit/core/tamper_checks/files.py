"""Finds the files that the tamper checks read: test files, shared set-up, and build files."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from reknit.core.repository.paths import walk_up

MAX_FILES = 80
_SCRIPTS = ("js", "ts", "mjs", "mts", "cjs", "cts", "json")
_NAMES = frozenset(
    {
        "conftest.py",
        "pyproject.toml",
        "pytest.ini",
        "tox.ini",
        "setup.cfg",
        "go.mod",
        "Cargo.toml",
        "package.json",
        "tsconfig.json",
        "pom.xml",
        *(f"{tool}.config.{end}" for tool in ("vitest", "vite", "jest") for end in _SCRIPTS),
        *(f".mocharc.{end}" for end in ("cjs", "js", "json", "jsonc", "yaml", "yml")),
    }
)
_MAX_MODULES = 8
_JAVA_BUILD = ("pom.xml", "build.gradle", "build.gradle.kts")


def list_surrounding_files(files: Iterable[str], tracked: Sequence[str]) -> tuple[str, ...]:
    """Return the files, and the set-up and build files in their folders and above."""
    target_files = tuple(dict.fromkeys(files))
    folders = {folder for file in target_files for folder in walk_up(posixpath.dirname(file))}
    shared_files = (
        path for path in tracked if posixpath.basename(path) in _NAMES and posixpath.dirname(path) in folders
    )
    return tuple(dict.fromkeys((*target_files, *shared_files)))[:MAX_FILES]


def find_test_files(runner: str, ids: Sequence[str], tracked: Sequence[str]) -> tuple[str, ...]:
    """Return files that contain these tests, the most important first; empty for languages that are not compiled."""
    find = _FINDERS.get(runner)
    return tuple(dict.fromkeys(path for test in ids for path in find(test, tracked))) if find else ()


def _find_go_files(test: str, tracked: Sequence[str]) -> Iterator[str]:
    """Yield the whole package: tests use declarations of any of its files."""
    folder = test.partition("::")[0]
    here = [path for path in tracked if path.endswith(".go") and (posixpath.dirname(path) or ".") == folder]
    yield from (path for path in tracked if path == "go.mod")
    yield from sorted(here, key=lambda path: not path.endswith("_test.go"))


def _find_cargo_files(test: str, tracked: Sequence[str]) -> Iterator[str]:
    """Yield files that may contain the test, and manifests.

    `src/lib.rs::prices::tests::small` may be in `src/prices/tests.rs`, `src/prices.rs` or the root itself.
    """
    root, *modules = test.split("::")
    paths = frozenset(tracked)
    folder = posixpath.dirname(root)
    if posixpath.basename(root) not in ("lib.rs", "main.rs", "mod.rs"):
        folder = root.removesuffix(".rs") if root.startswith("src/") else folder
    for length in range(min(len(modules) - 1, _MAX_MODULES), 0, -1):
        place = posixpath.join(folder, *modules[:length])
        yield from (path for path in (f"{place}.rs", f"{place}/mod.rs") if path in paths)
    yield from (path for path in (root, "Cargo.toml") if path in paths)
    yield from (path for path in tracked if posixpath.basename(path) == "Cargo.toml")


def _find_java_files(test: str, tracked: Sequence[str]) -> Iterator[str]:
    name = test.partition("::")[0].partition("$")[0].replace(".", "/")
    yield from (path for path in tracked if path.endswith(f"/{name}.java") or path == f"{name}.java")
    yield from (path for path in tracked if posixpath.basename(path) in _JAVA_BUILD)


_FINDERS: Mapping[str, Callable[[str, Sequence[str]], Iterator[str]]] = {
    "go": _find_go_files,
    "cargo": _find_cargo_files,
    "maven": _find_java_files,
    "gradle": _find_java_files,
}
