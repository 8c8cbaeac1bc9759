"""Finds a Rust test by its id: the modules on the way to it, and its text."""

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reknit.core.tamper_checks.syntax import Node, is_whole, parse

_ROOTS = ("lib.rs", "main.rs", "mod.rs")


@dataclass(frozen=True)
class RustModule:
    name: str
    """Empty: the root of the crate."""
    file: str
    text: str
    container: Node
    """What its items are children of."""
    item: Node | None = None
    """Where it is declared, in the module before it."""

    @property
    def is_inline(self) -> bool:
        return self.container.kind() == "declaration_list"


@dataclass(frozen=True)
class RustTarget:
    id: str
    name: str
    way: tuple[RustModule, ...]
    """From the root of the crate to the module that holds the test."""
    function: Node

    @property
    def module(self) -> RustModule:
        return self.way[-1]

    @property
    def prefix(self) -> str:
        """Of the ids of tests in the same module."""
        return self.id.removesuffix(self.name)


def find_target(test: str, files: Mapping[str, str]) -> RustTarget | None:
    """None for tests that are not plain functions with `#[test]`, or whose text is not among the files."""
    root, *modules = test.split("::")
    way = [_module("", root, files)] if root in files and modules else []
    for name in modules[:-1]:
        if way:
            way = _next(way, name, files)
    if not way:
        return None
    found = (item for item in way[-1].container.children() if item.kind() == "function_item")
    for item in found:
        if _name(item) == modules[-1] and "#[test]" in (text for text, _ in attributes(item)):
            return RustTarget(test, modules[-1], tuple(way), item)
    return None


def attributes(item: Node) -> Iterator[tuple[str, Node]]:
    """Those before an item, nearest first."""
    before = item.prev()
    while before and before.kind() in ("attribute_item", "line_comment", "block_comment"):
        if before.kind() == "attribute_item":
            yield "".join(before.text().split()), before
        before = before.prev()


def _module(name: str, path: str, files: Mapping[str, str], item: Node | None = None) -> RustModule:
    return RustModule(name, path, files[path], parse(files[path], "rust"), item)


def _next(way: list[RustModule], name: str, files: Mapping[str, str]) -> list[RustModule]:
    """The way with one more module; empty if that cannot be found or read."""
    last = way[-1]
    for item in last.container.children():
        if item.kind() != "mod_item" or _name(item) != name:
            continue
        body = item.field("body")
        if body:
            return [*way, RustModule(name, last.file, last.text, body, item)]
        if any(text.startswith("#[path") for text, _ in attributes(item)):
            return []
        place = posixpath.join(folder_of(way), name)
        path = next((path for path in (f"{place}.rs", f"{place}/mod.rs") if path in files), "")
        found = _module(name, path, files, item) if path else None
        return [*way, found] if found and is_whole(found.container) else []
    return []


def folder_of(way: list[RustModule]) -> str:
    """Where the files of modules are that the last one declares."""
    file = way[-1].file
    is_root = file == way[0].file or posixpath.basename(file) in _ROOTS
    folder = posixpath.dirname(file) if is_root else file.removesuffix(".rs")
    return posixpath.join(folder, *(module.name for module in way if module.file == file and module.is_inline))


def _name(item: Node) -> str:
    name = item.field("name")
    return name.text() if name else ""
