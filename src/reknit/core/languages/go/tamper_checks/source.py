"""Reads the files of a Go package: functions, parameters and imports."""

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reknit.core.syntax import parse_tree, read_field
from reknit.core.tamper_checks.syntax import Node, find_kind, is_fully_parsed

TESTING = "testing"


@dataclass(frozen=True)
class GoFile:
    """A parsed Go file."""

    path: str
    text: str
    root: Node
    package: str

    @property
    def is_test(self) -> bool:
        return self.path.endswith("_test.go")

    @property
    def is_outside(self) -> bool:
        """Return True if the tests are in a separate package: `shop_test`."""
        return self.is_test and self.package.endswith("_test")


def parse_package(folder: str, files: Mapping[str, str]) -> list[GoFile]:
    """Return the files of one package that can be parsed, sorted by path."""
    here = sorted(path for path in files if path.endswith(".go") and (posixpath.dirname(path) or ".") == folder)
    return [file for path in here if (file := _parse_file(path, files[path]))]


def _parse_file(path: str, text: str) -> GoFile | None:
    root = parse_tree(text, "go")
    clause = root.find(kind="package_identifier")
    return GoFile(path, text, root, clause.text()) if clause and is_fully_parsed(root) else None


def find_functions(file: GoFile) -> Iterator[tuple[str, Node]]:
    """Yield name and declaration of each function that is not a method."""
    for node in file.root.children():
        name = node.field("name") if node.kind() == "function_declaration" else None
        if name:
            yield name.text(), node


def is_test_function(name: str, node: Node) -> bool:
    """Return True if it is a test by the rule of `go test`: `TestX`, not `Testimony`, with one `*testing.T`."""
    rest = name.removeprefix("Test")
    return name.startswith("Test") and not rest[:1].islower() and find_parameter(node)[1].endswith(".T")


def find_parameter(function: Node) -> tuple[str, str]:
    """Return name and type of the only parameter: `t`, `*testing.T`; empty if there are none or several."""
    declarations = list(find_kind(function.field("parameters") or function, "parameter_declaration"))
    name, kind = (
        (declarations[0].field("name"), declarations[0].field("type")) if len(declarations) == 1 else (None, None)
    )
    return (name.text(), kind.text()) if name and kind else ("", "")


def find_import(file: GoFile, path: str) -> Node | None:
    """Return the specification that imports a package."""
    for node in find_kind(file.root, "import_spec"):
        if read_field(node, "path").strip('"`') == path:
            return node
    return None


def find_local_name(specification: Node | None, path: str) -> str:
    """Return the local name of an imported package; empty if it is not imported."""
    return (read_field(specification, "name") or posixpath.basename(path)) if specification else ""


@dataclass(frozen=True)
class GoTarget:
    """A test function with targets in it: itself, or its subtests."""

    ids: tuple[str, ...]
    folder: str
    name: str
    file: GoFile
    function: Node
