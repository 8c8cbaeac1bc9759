"""Which files hold a test of a compiled language: its id names a package, a crate or a class."""

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence

MOST_MODULES = 8


def files_of_tests(runner: str, ids: Sequence[str], tracked: Sequence[str]) -> tuple[str, ...]:
    """Those that the checks read, most important first; none for other runners."""
    find = _FINDERS.get(runner)
    return tuple(dict.fromkeys(path for test in ids for path in find(test, tracked))) if find else ()


def _go(test: str, tracked: Sequence[str]) -> Iterator[str]:
    """The whole package: tests use what is declared in any of its files."""
    folder = test.partition("::")[0]
    here = [path for path in tracked if path.endswith(".go") and (posixpath.dirname(path) or ".") == folder]
    yield from (path for path in tracked if path == "go.mod")
    yield from sorted(here, key=lambda path: not path.endswith("_test.go"))


def _cargo(test: str, tracked: Sequence[str]) -> Iterator[str]:
    """`src/lib.rs::prices::tests::small` may be in `src/prices/tests.rs`, `src/prices.rs` or the root itself."""
    root, *modules = test.split("::")
    paths = frozenset(tracked)
    folder = posixpath.dirname(root)
    if posixpath.basename(root) not in ("lib.rs", "main.rs", "mod.rs"):
        folder = root.removesuffix(".rs") if root.startswith("src/") else folder
    for length in range(min(len(modules) - 1, MOST_MODULES), 0, -1):
        place = posixpath.join(folder, *modules[:length])
        yield from (path for path in (f"{place}.rs", f"{place}/mod.rs") if path in paths)
    yield from (path for path in (root, "Cargo.toml") if path in paths)
    yield from (path for path in tracked if posixpath.basename(path) == "Cargo.toml")


def _java(test: str, tracked: Sequence[str]) -> Iterator[str]:
    name = test.partition("::")[0].partition("$")[0].replace(".", "/")
    yield from (path for path in tracked if path.endswith(f"/{name}.java") or path == f"{name}.java")
    yield from (path for path in tracked if posixpath.basename(path) in _JAVA_BUILD)


_JAVA_BUILD = ("pom.xml", "build.gradle", "build.gradle.kts")
_FINDERS: Mapping[str, Callable[[str, Sequence[str]], Iterator[str]]] = {
    "go": _go,
    "cargo": _cargo,
    "maven": _java,
    "gradle": _java,
}
