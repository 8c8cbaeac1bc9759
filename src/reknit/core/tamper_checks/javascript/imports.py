"""The imports of a test file: those of its test libraries are replaced by stand-ins."""

from collections.abc import Iterator
from typing import NamedTuple

from reknit.core.tamper_checks.javascript.registered_tests import arguments_of, literal_text
from reknit.core.tamper_checks.syntax import Edit, Node, edited, of_kind, replaced

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
    text: str
    data: tuple[str, ...]
    """Data files that it imports, as it names them."""


def is_module(root: Node, file: str) -> bool:
    """Whether the text is that of a module, or has to be translated into one."""
    kinds = {node.kind() for node in root.children()}
    translated = (".ts", ".tsx", ".mts", ".cts", ".jsx", ".mjs")
    return file.endswith(translated) or not kinds.isdisjoint({"import_statement", "export_statement"})


def head(root: Node) -> str:
    """What the file imports and requires, to be put at the beginning of another."""
    kept = [node for node in root.children() if node.kind() == "import_statement" or _is_directive(node)]
    kept += [node for node in root.children() if _requires(node)]
    return "\n".join(node.text() for node in kept)


def module_text(root: Node, text: str, runner: str, take: str) -> ModuleText:
    """`take`: the name of the function that gives the stand-ins."""
    edits, data = [], []
    for node in root.children():
        source = _source(node)
        if source in LIBRARIES or _is_data(source):
            edits.append(_taken(node, source, take))
        if _is_data(source):
            data.append(source)
    metas = (node for node in of_kind(root, "member_expression") if node.text() in _META)
    edits += [replaced(node, f'{take}("{node.text()}")') for node in metas]
    unbound = [name for name in _GLOBALS.get(runner, "").split() if name not in {*_bound(root)}]
    takes = f"const a=globalThis.{take};delete globalThis.{take};export default a"
    first = f'import {take} from "data:text/javascript,{takes}"; '
    known = f'const {{ {", ".join(unbound)} }} = {take}(""); ' if unbound else ""
    return ModuleText(first + known + edited(_without_hashbang(text), edits), tuple(data))


def script_text(root: Node, text: str) -> ModuleText:
    calls = (call for call in of_kind(root, "call_expression") if _callee(call) == "require")
    names = (literal_text(given[0]) or "" for call in calls if (given := arguments_of(call)))
    functions = (call.field("function") for call in of_kind(root, "call_expression"))
    edits = [replaced(function, "require.later") for function in functions if function and function.kind() == "import"]
    data = {name for name in names if _is_data(name)}
    return ModuleText(edited(_without_hashbang(text), edits), tuple(sorted(data)))


def _without_hashbang(text: str) -> str:
    """Of the same length, so that positions hold."""
    if not text.startswith("#!"):
        return text
    line = text.partition("\n")[0]
    return "//" + text[2 : len(line)] + text[len(line) :]


def _callee(call: Node) -> str:
    function = call.field("function")
    return function.text() if function else ""


def _is_directive(node: Node) -> bool:
    return node.kind() == "expression_statement" and [each.kind() for each in node.named_children()] == ["string"]


def _requires(node: Node) -> bool:
    if node.kind() not in (*_DECLARATIONS, "expression_statement"):
        return False
    has_function = any(True for _ in of_kind(node, "arrow_function", "function_expression"))
    return not has_function and any(_callee(call) == "require" for call in of_kind(node, "call_expression"))


def _source(node: Node) -> str:
    source = node.field("source") if node.kind() == "import_statement" else None
    return (literal_text(source) or "") if source else ""


def _is_data(source: str) -> bool:
    return source.startswith(("./", "../")) and source.endswith(".json")


def _taken(statement: Node, source: str, take: str) -> Edit:
    parts: list[str] = []
    if not any(node.kind() == "type" for node in statement.children()):
        clause = [node for node in statement.children() if node.kind() == "import_clause"]
        parts = [part for each in clause for part in _patterns(each)]
    return replaced(statement, "".join(f'const {part} = {take}("{source}"); ' for part in parts))


def _patterns(clause: Node) -> Iterator[str]:
    """`a, { b as c }` -> `{ default: a }` and `{ b: c }`."""
    for node in clause.named_children():
        if node.kind() == "identifier":
            yield f"{{ default: {node.text()} }}"
        elif node.kind() == "namespace_import":
            yield node.named_children()[0].text()
        else:
            yield f"{{ {', '.join(_fields(node))} }}"


def _fields(names: Node) -> Iterator[str]:
    for each in names.named_children():
        name, alias = each.field("name"), each.field("alias")
        if name is not None and not any(part.kind() == "type" for part in each.children()):
            yield f"{name.text()}: {alias.text()}" if alias else name.text()


def _bound(root: Node) -> Iterator[str]:
    """Names that the file itself declares at its top."""
    for node in root.children():
        if node.kind() == "import_statement":
            yield from _imported(node)
        elif node.kind() in _DECLARATIONS:
            names = (each.field("name") for each in of_kind(node, "variable_declarator"))
            for name in filter(None, names):
                yield from (
                    each.text() for each in of_kind(name, "identifier", "shorthand_property_identifier_pattern")
                )
        elif node.kind() in ("function_declaration", "class_declaration"):
            own = node.field("name")
            yield own.text() if own else ""


def _imported(statement: Node) -> Iterator[str]:
    for node in of_kind(statement, "import_clause", "namespace_import", "import_specifier"):
        local = node.field("alias") or node.field("name")
        named = [local] if local else [each for each in node.named_children() if each.kind() == "identifier"]
        yield from (each.text() for each in named)
