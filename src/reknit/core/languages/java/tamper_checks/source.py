"""Finds a Java test by its id: its class and its method."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reknit.core.syntax import parse_tree, read_field
from reknit.core.tamper_checks.syntax import Node, find_kind, is_fully_parsed

_NAME = re.compile(r"([A-Za-z_$][\w$]{0,500})(\(\))?")


@dataclass(frozen=True)
class JavaClass:
    """A parsed test class."""

    name: str
    package: str
    file: str
    text: str
    root: Node
    body: Node
    declaration: Node

    @property
    def is_junit_4(self) -> bool:
        return any(path.startswith("org.junit.") and ".jupiter." not in path for path in self.imports)

    @property
    def imports(self) -> dict[str, Node]:
        """Imports, also static ones: `org.junit.jupiter.api.*` -> its declaration."""
        imports = {}
        for node in self.root.children():
            if node.kind() == "import_declaration":
                words = node.text().removeprefix("import").rstrip(";").split()
                imports["".join(word for word in words if word != "static")] = node
        return imports


@dataclass(frozen=True)
class JavaTarget:
    """A test method with its class."""

    id: str
    name: str
    """Name of the method."""
    end: str
    """Suffix that the runner adds to names: `()`, or empty."""
    test_class: JavaClass
    method: Node

    def sibling(self, name: str) -> str:
        """Return the id of another test in the same class."""
        return f"{self.id.partition('::')[0]}::{name}{self.end}"


def find_target(test: str, files: Mapping[str, str]) -> JavaTarget | None:
    """Return the test. None if it has parameters, is in an inner class, or its text is not among the files."""
    group, _, method_text = test.partition("::")
    name = _NAME.fullmatch(method_text)
    path = group.replace(".", "/") + ".java"
    file = next((candidate for candidate in files if candidate == path or candidate.endswith(f"/{path}")), "")
    test_class = _parse_class(group, file, files[file]) if file and name else None
    for method in find_methods(test_class) if test_class else ():
        if name and test_class and read_field(method, "name") == name[1] and "@Test" in find_annotations(method):
            return JavaTarget(test, name[1], name[2] or "", test_class, method)
    return None


def find_methods(test_class: JavaClass) -> Iterator[Node]:
    """Yield the methods of the class itself."""
    return (node for node in test_class.body.children() if node.kind() == "method_declaration")


def find_annotations(declaration: Node) -> dict[str, Node]:
    """Return annotations with their nodes: `@Test`, `@Test(timeout = 3)`."""
    modifiers = next((node for node in declaration.children() if node.kind() == "modifiers"), None)
    nodes = modifiers.children() if modifiers else []
    return {node.text(): node for node in nodes if node.kind() in ("marker_annotation", "annotation")}


def read_annotation_name(text: str) -> str:
    """Return the simple name: `@org.junit.Test(timeout = 3)` -> `Test`."""
    return text.removeprefix("@").partition("(")[0].strip().rpartition(".")[2]


def _parse_class(group: str, file: str, text: str) -> JavaClass | None:
    root = parse_tree(text, "java")
    package, _, name = group.rpartition(".")
    if not is_fully_parsed(root):
        return None
    for node in root.children():
        title, body = node.field("name"), node.field("body")
        if node.kind() == "class_declaration" and title and title.text() == name and body:
            return JavaClass(name, package, file, text, root, body, node)
    return None


def find_calls(node: Node) -> Iterator[tuple[str, Node, list[Node]]]:
    """Yield name, node and arguments of each method call."""
    for call in find_kind(node, "method_invocation"):
        arguments = call.field("arguments")
        yield read_field(call, "name"), call, arguments.named_children() if arguments else []
