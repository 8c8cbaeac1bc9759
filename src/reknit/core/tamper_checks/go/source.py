"""What the checks need to know about the files of a Go package."""

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reknit.core.tamper_checks.syntax import Node, is_whole, of_kind, parse

TESTING = "testing"


@dataclass(frozen=True)
class GoFile:
    path: str
    text: str
    root: Node
    package: str

    @property
    def is_test(self) -> bool:
        return self.path.endswith("_test.go")

    @property
    def is_outside(self) -> bool:
        """Whether its tests are in a package of their own: `shop_test`."""
        return self.is_test and self.package.endswith("_test")


def files_of(folder: str, files: Mapping[str, str]) -> list[GoFile]:
    """Those of one package that can be parsed, by path."""
    here = sorted(path for path in files if path.endswith(".go") and (posixpath.dirname(path) or ".") == folder)
    return [found for path in here if (found := _read(path, files[path]))]


def _read(path: str, text: str) -> GoFile | None:
    root = parse(text, "go")
    clause = root.find(kind="package_identifier")
    return GoFile(path, text, root, clause.text()) if clause and is_whole(root) else None


def functions(file: GoFile) -> Iterator[tuple[str, Node]]:
    """Name and declaration of each function that is not a method."""
    for node in file.root.children():
        name = node.field("name") if node.kind() == "function_declaration" else None
        if name:
            yield name.text(), node


def is_test_function(name: str, node: Node) -> bool:
    """As `go test` has it: `TestX`, not `Testimony`, with one parameter that is a `*testing.T`."""
    rest = name.removeprefix("Test")
    return name.startswith("Test") and not rest[:1].islower() and parameter(node)[1].endswith(".T")


def parameter(function: Node) -> tuple[str, str]:
    """Name and type of its only parameter: `t`, `*testing.T`; empty if it has none or several."""
    found = list(of_kind(function.field("parameters") or function, "parameter_declaration"))
    name, kind = (found[0].field("name"), found[0].field("type")) if len(found) == 1 else (None, None)
    return (name.text(), kind.text()) if name and kind else ("", "")


def import_of(file: GoFile, path: str) -> Node | None:
    """The specification by which a file imports a package."""
    for node in of_kind(file.root, "import_spec"):
        said = node.field("path")
        if said and said.text().strip('"`') == path:
            return node
    return None


def local_name(specification: Node | None, path: str) -> str:
    """The name under which a file knows a package that it imports; empty if it does not."""
    if specification is None:
        return ""
    alias = specification.field("name")
    return alias.text() if alias else posixpath.basename(path)
