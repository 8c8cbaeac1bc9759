"""Finds a Rust test by its id: the modules that contain it, and its text."""

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reknit.core.syntax import parse_tree, read_field
from reknit.core.tamper_checks.syntax import Node, is_fully_parsed

_ROOTS = ("lib.rs", "main.rs", "mod.rs")


@dataclass(frozen=True)
class RustModule:
    """A module, in its own file or inline."""

    name: str
    """Name of the module; empty for the root of the crate."""
    file: str
    text: str
    container: Node
    """Parent node of the module's items."""
    item: Node | None = None
    """Declaration in the parent module."""

    @property
    def is_inline(self) -> bool:
        return self.container.kind() == "declaration_list"


@dataclass(frozen=True)
class RustTarget:
    """A test function with the modules around it."""

    id: str
    name: str
    modules: tuple[RustModule, ...]
    """Modules from the root of the crate to the one that contains the test."""
    function: Node

    @property
    def module(self) -> RustModule:
        return self.modules[-1]

    @property
    def prefix(self) -> str:
        """Common prefix of the ids of all tests in the module."""
        return self.id.removesuffix(self.name)


def find_target(test: str, files: Mapping[str, str]) -> RustTarget | None:
    """Return the test. None unless it is a plain function with `#[test]` whose text is among the files."""
    root, *modules = test.split("::")
    path_to_test = [_parse_module("", root, files)] if root in files and modules else []
    for name in modules[:-1]:
        if path_to_test:
            path_to_test = _enter_module(path_to_test, name, files)
    if not path_to_test:
        return None
    functions = (item for item in path_to_test[-1].container.children() if item.kind() == "function_item")
    for item in functions:
        if read_field(item, "name") == modules[-1] and "#[test]" in (text for text, _ in find_attributes(item)):
            return RustTarget(test, modules[-1], tuple(path_to_test), item)
    return None


def find_attributes(item: Node) -> Iterator[tuple[str, Node]]:
    """Yield the attributes before an item, nearest first."""
    before = item.prev()
    while before and before.kind() in ("attribute_item", "line_comment", "block_comment"):
        if before.kind() == "attribute_item":
            yield "".join(before.text().split()), before
        before = before.prev()


def _parse_module(name: str, path: str, files: Mapping[str, str], item: Node | None = None) -> RustModule:
    return RustModule(name, path, files[path], parse_tree(files[path], "rust"), item)


def _enter_module(parents: list[RustModule], name: str, files: Mapping[str, str]) -> list[RustModule]:
    """Return the modules and the next one; empty if that cannot be found or read."""
    last = parents[-1]
    for item in last.container.children():
        if item.kind() != "mod_item" or read_field(item, "name") != name:
            continue
        body = item.field("body")
        if body:
            return [*parents, RustModule(name, last.file, last.text, body, item)]
        if any(text.startswith("#[path") for text, _ in find_attributes(item)):
            return []
        place = posixpath.join(find_module_folder(parents), name)
        path = next((path for path in (f"{place}.rs", f"{place}/mod.rs") if path in files), "")
        module = _parse_module(name, path, files, item) if path else None
        return [*parents, module] if module and is_fully_parsed(module.container) else []
    return []


def find_module_folder(parents: list[RustModule]) -> str:
    """Return the folder for files of modules that the last module declares."""
    file = parents[-1].file
    is_root = file == parents[0].file or posixpath.basename(file) in _ROOTS
    folder = posixpath.dirname(file) if is_root else file.removesuffix(".rs")
    return posixpath.join(folder, *(module.name for module in parents if module.file == file and module.is_inline))
