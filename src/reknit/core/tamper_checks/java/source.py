"""Finds a Java test by its id: the class that holds it, and its method."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reknit.core.tamper_checks.syntax import Node, is_whole, of_kind, parse

_NAME = re.compile(r"([A-Za-z_$][\w$]{0,500})(\(\))?")


@dataclass(frozen=True)
class JavaClass:
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
        """`org.junit.jupiter.api.*` -> its declaration; of static ones too."""
        found = {}
        for node in self.root.children():
            if node.kind() == "import_declaration":
                words = node.text().removeprefix("import").rstrip(";").split()
                found["".join(word for word in words if word != "static")] = node
        return found


@dataclass(frozen=True)
class JavaTarget:
    id: str
    name: str
    """Of its method."""
    end: str
    """What its runner puts behind names: `()`, or nothing."""
    of: JavaClass
    method: Node

    def sibling(self, name: str) -> str:
        """The id of another test in its class."""
        return f"{self.id.partition('::')[0]}::{name}{self.end}"


def find_target(test: str, files: Mapping[str, str]) -> JavaTarget | None:
    """None for tests with parameters, of inner classes, and those whose text is not among the files."""
    group, _, said = test.partition("::")
    name = _NAME.fullmatch(said)
    path = group.replace(".", "/") + ".java"
    file = next((each for each in files if each == path or each.endswith(f"/{path}")), "")
    found = _read(group, file, files[file]) if file and name else None
    for method in methods(found) if found else ():
        if name and found and method_name(method) == name[1] and "@Test" in annotations(method):
            return JavaTarget(test, name[1], name[2] or "", found, method)
    return None


def methods(of: JavaClass) -> Iterator[Node]:
    return (node for node in of.body.children() if node.kind() == "method_declaration")


def method_name(method: Node) -> str:
    name = method.field("name")
    return name.text() if name else ""


def annotations(declaration: Node) -> dict[str, Node]:
    """`@Test`, `@Test(timeout = 3)` -> the node."""
    modifiers = next((node for node in declaration.children() if node.kind() == "modifiers"), None)
    found = modifiers.children() if modifiers else []
    return {node.text(): node for node in found if node.kind() in ("marker_annotation", "annotation")}


def annotation_name(text: str) -> str:
    """`@org.junit.Test(timeout = 3)` -> `Test`."""
    return text.removeprefix("@").partition("(")[0].strip().rpartition(".")[2]


def _read(group: str, file: str, text: str) -> JavaClass | None:
    root = parse(text, "java")
    package, _, name = group.rpartition(".")
    if not is_whole(root):
        return None
    for node in root.children():
        title, body = node.field("name"), node.field("body")
        if node.kind() == "class_declaration" and title and title.text() == name and body:
            return JavaClass(name, package, file, text, root, body, node)
    return None


def calls(node: Node) -> Iterator[tuple[str, Node, list[Node]]]:
    """Name, node and arguments of each method call."""
    for call in of_kind(node, "method_invocation"):
        name, given = call.field("name"), call.field("arguments")
        yield name.text() if name else "", call, given.named_children() if given else []
