"""Rewrites the imports of a test file, so that stand-ins replace its test libraries."""

from collections.abc import Iterator
from typing import NamedTuple

from reknit.core.languages.javascript.tamper_checks.source import find_arguments, read_literal
from reknit.core.syntax import read_field
from reknit.core.tamper_checks.syntax import Edit, Node, apply_edits, find_kind, replace_node

LIBRARIES = frozenset(
    {
        "node:test", "test", "vitest", "@jest/globals", "mocha", "chai", "assert", "node:assert", "assert/strict",
        "node:assert/strict",
    }
)  # fmt: skip
_GLOBALS = {
    "vitest": "describe suite it test expect vi vitest assert beforeAll afterAll beforeEach afterEach",
    "jest": "describe it test expect jest beforeAll afterAll beforeEach afterEach xit xtest xdescribe fit fdescribe",
    "mocha": (
        "describe context it specify before after beforeEach afterEach xit xdescribe xcontext xspecify suite test "
        "setup teardown suiteSetup suiteTeardown"
    ),
}
_META = ("import.meta.url", "import.meta.filename", "import.meta.dirname")
_DECLARATIONS = ("lexical_declaration", "variable_declaration")


class ModuleText(NamedTuple):
    """The converted text of a test file."""

    text: str
    data: tuple[str, ...]
    """Data files that the text imports, by the paths written in it."""


def is_module(root: Node, file: str) -> bool:
    """Return True if it is a module, or a file that is translated into one."""
    kinds = {node.kind() for node in root.children()}
    translated = (".ts", ".tsx", ".mts", ".cts", ".jsx", ".mjs")
    return file.endswith(translated) or not kinds.isdisjoint({"import_statement", "export_statement"})


def render_imports(root: Node) -> str:
    """Return the imports and requires of the file, for the beginning of another file."""
    nodes = [node for node in root.children() if node.kind() == "import_statement" or _is_directive(node)]
    nodes += [node for node in root.children() if _requires(node)]
    return "\n".join(node.text() for node in nodes)


def convert_module(root: Node, text: str, runner: str, take: str) -> ModuleText:
    """Convert a module so that it takes stand-ins from a function named `take`."""
    edits, data = [], []
    for node in root.children():
        source = _import_source(node)
        if source in LIBRARIES or _is_data(source):
            edits.append(_replace_import(node, source, take))
        if _is_data(source):
            data.append(source)
    metas = (node for node in find_kind(root, "member_expression") if node.text() in _META)
    edits += [replace_node(node, f'{take}("{node.text()}")') for node in metas]
    unbound = [name for name in _GLOBALS.get(runner, "").split() if name not in {*_declared_names(root)}]
    takes = f"const a=globalThis.{take};delete globalThis.{take};export default a"
    import_line = f'import {take} from "data:text/javascript,{takes}"; '
    globals_line = f'const {{ {", ".join(unbound)} }} = {take}(""); ' if unbound else ""
    return ModuleText(import_line + globals_line + apply_edits(_comment_out_hashbang(text), edits), tuple(data))


def convert_script(root: Node, text: str) -> ModuleText:
    """Convert a CommonJS script; its dynamic imports go through `require.later`."""
    calls = (call for call in find_kind(root, "call_expression") if read_field(call, "function") == "require")
    names = (read_literal(arguments[0]) or "" for call in calls if (arguments := find_arguments(call)))
    functions = (call.field("function") for call in find_kind(root, "call_expression"))
    edits = [
        replace_node(function, "require.later") for function in functions if function and function.kind() == "import"
    ]
    data = {name for name in names if _is_data(name)}
    return ModuleText(apply_edits(_comment_out_hashbang(text), edits), tuple(sorted(data)))


def _comment_out_hashbang(text: str) -> str:
    """Turn a hashbang into a comment of the same length, so that positions stay valid."""
    if not text.startswith("#!"):
        return text
    line = text.partition("\n")[0]
    return "//" + text[2 : len(line)] + text[len(line) :]


def _is_directive(node: Node) -> bool:
    return node.kind() == "expression_statement" and [child.kind() for child in node.named_children()] == ["string"]


def _requires(node: Node) -> bool:
    if node.kind() not in (*_DECLARATIONS, "expression_statement"):
        return False
    has_function = any(True for _ in find_kind(node, "arrow_function", "function_expression"))
    calls = find_kind(node, "call_expression")
    return not has_function and any(read_field(call, "function") == "require" for call in calls)


def _import_source(node: Node) -> str:
    source = node.field("source") if node.kind() == "import_statement" else None
    return (read_literal(source) or "") if source else ""


def _is_data(source: str) -> bool:
    return source.startswith(("./", "../")) and source.endswith(".json")


def _replace_import(statement: Node, source: str, take: str) -> Edit:
    parts: list[str] = []
    if not any(node.kind() == "type" for node in statement.children()):
        clause = [node for node in statement.children() if node.kind() == "import_clause"]
        parts = [part for node in clause for part in _to_patterns(node)]
    return replace_node(statement, "".join(f'const {part} = {take}("{source}"); ' for part in parts))


def _to_patterns(clause: Node) -> Iterator[str]:
    """Yield destructuring patterns: `a, { b as c }` -> `{ default: a }` and `{ b: c }`."""
    for node in clause.named_children():
        if node.kind() == "identifier":
            yield f"{{ default: {node.text()} }}"
        elif node.kind() == "namespace_import":
            yield node.named_children()[0].text()
        else:
            yield f"{{ {', '.join(_to_fields(node))} }}"


def _to_fields(names: Node) -> Iterator[str]:
    for child in names.named_children():
        name, alias = child.field("name"), child.field("alias")
        if name is not None and not any(part.kind() == "type" for part in child.children()):
            yield f"{name.text()}: {alias.text()}" if alias else name.text()


def _declared_names(root: Node) -> Iterator[str]:
    """Yield the names that the file declares at its top level."""
    for node in root.children():
        if node.kind() == "import_statement":
            yield from _imported_names(node)
        elif node.kind() in _DECLARATIONS:
            names = (declarator.field("name") for declarator in find_kind(node, "variable_declarator"))
            for name in filter(None, names):
                yield from (
                    identifier.text()
                    for identifier in find_kind(name, "identifier", "shorthand_property_identifier_pattern")
                )
        elif node.kind() in ("function_declaration", "class_declaration"):
            yield read_field(node, "name")


def _imported_names(statement: Node) -> Iterator[str]:
    for node in find_kind(statement, "import_clause", "namespace_import", "import_specifier"):
        local = node.field("alias") or node.field("name")
        identifiers = [local] if local else [child for child in node.named_children() if child.kind() == "identifier"]
        yield from (identifier.text() for identifier in identifiers)
