"""Whether a test file only gained tests: what it had is unchanged, and nothing new can change how that runs."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reknit.core.gate.syntax.python_tests import Function, dotted, parse
from reknit.core.gate.syntax.trees import Language, statements, tree_of
from reknit.core.gate.syntax.trees import dotted as words_of

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_LANGUAGES: Mapping[str, Language] = {
    ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript", ".ts": "typescript",
    ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx", ".go": "go", ".java": "java", ".rs": "rust",
}  # fmt: skip
_LINE_END = re.compile(r"\r\n?|\n")
_STAR = re.compile(r"^[ \t]*from\b[^\n]*\bimport[ \t(]*\*", re.M)
_COOKIE = re.compile(r"coding[:=](?![ \t]*utf-?8\b)")
_GO_TEST = re.compile(r"(?:Test(?!Main$)|Benchmark|Example|Fuzz)(?![a-z])\w*")
_PYTHON_NAMES = {False: re.compile("test|_(?!_)"), True: re.compile("test")}
"""Of functions that may be added: to a file, and to a class, whose other methods a runner may call."""
_PLAIN_BASES = frozenset({"object", "TestCase", "unittest.TestCase"})
_TESTS, _SUITES = frozenset({"it", "test", "specify"}), frozenset({"describe", "suite", "context"})
_KINDS = frozenset({"string", "arrow_function", "function_expression"})
"""Of what a test is given: its title and its function."""
_REACHES_OTHERS = re.compile(
    r"mock|hoist|globalThis|\.only\b|\b(?:before|after|setup|teardown)(?:Each|All)?\s*\(", re.I
)
_JAVA_TEST = re.compile(r"@Test\s+(?:@DisplayName\(\"[^\"]*\"\)\s+)?(?:public\s+)?void\s")
_JAVA_IMPORT = re.compile(r"import\s+(?:static\s+)?[\w.]+\.(\w+)\s*;")
_PRAGMA = re.compile(r"@|go:|\+build|^//(?:line|export)")


@dataclass(frozen=True)
class _Part:
    """A statement of a file, or a member of a class."""

    text: str
    names: tuple[str, ...] | None = None
    """Names that it binds; None: it may not be added."""
    head: str = ""
    """A class that may gain tests, without its members."""
    members: tuple[_Part, ...] = ()


def only_adds_tests(path: str, before: str, after: str) -> bool:
    """Return False also where the language is not read."""
    old, new, known = _parts(path, before), _parts(path, after), frozenset(re.findall(r"\w+", before))
    # Bytes that are no text look alike; nobody sees which names a star imports.
    is_seen = "\ufffd" not in before + after and not _STAR.search(before)
    return bool(old) and is_seen and _only_adds(old, new, known)


def _only_adds(before: Sequence[_Part], after: Sequence[_Part], known: frozenset[str]) -> bool:
    """Return whether all of `before` is in `after`, in this order, and the rest binds names that nothing uses."""
    left = [*before]
    for part in after:
        old = left[0] if left else _Part("")
        gains = bool(part.head) and part.head == old.head and _only_adds(old.members, part.members, known)
        if gains or part.text == old.text:
            left.pop(0)
        elif part.names is None or not known.isdisjoint(part.names):
            return False
    return not left


def _parts(path: str, text: str) -> tuple[_Part, ...]:
    """Return nothing for what cannot be read."""
    if path.endswith(".py"):
        lines, module = _LINE_END.split(text.removeprefix("\ufeff")), parse(text)
        # With another encoding, the interpreter reads another text than we do.
        is_read = module and not any(map(_COOKIE.search, lines[:2]))
        return tuple(_python_parts(module.body, lines)) if module and is_read else ()
    language = _LANGUAGES.get(posixpath.splitext(path.lower())[1])
    tree = tree_of(text, language) if language else None
    return tuple(_tree_parts(tree)) if tree and not tree.find(kind="ERROR") else ()


def _python_parts(body: Sequence[ast.stmt], lines: Sequence[str], *, of_class: bool = False) -> Iterator[_Part]:
    for node in body:
        text = "\n".join(lines[_first_line(node) - 1 : node.end_lineno])
        if isinstance(node, ast.Import | ast.ImportFrom) and not of_class:
            yield from _imports(node)
        elif isinstance(node, ast.ClassDef):
            head = "\n".join(lines[_first_line(node) - 1 : _first_line(node.body[0]) - 1]).strip()
            members = tuple(_python_parts(node.body, lines, of_class=True))
            # A test that a base class has could be replaced by one of the same name.
            is_plain = not node.keywords and _PLAIN_BASES.issuperset(map(dotted, node.bases))
            is_new = is_plain and not node.decorator_list and all(part.names is not None for part in members)
            yield _Part(text, (node.name,) if is_new else None, head if is_plain else "", members)
        elif isinstance(node, Function) and _PYTHON_NAMES[of_class].match(node.name) and _is_harmless(node):
            yield _Part(text, (node.name,))
        else:
            is_docstring = of_class and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            yield _Part(text, () if is_docstring else None)


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[_Part]:
    origin = f"{'.' * node.level}{node.module}" if isinstance(node, ast.ImportFrom) else ""
    for alias in node.names:
        name = alias.asname or alias.name.partition(".")[0]
        is_plain = name != "*" and origin != "__future__"
        yield _Part(f"import {origin} {alias.name} {name}", (name,) if is_plain else None)


def _first_line(node: ast.stmt) -> int:
    first: int = min(each.lineno for each in (node, *getattr(node, "decorator_list", ())))
    return first


def _is_harmless(function: Function) -> bool:
    """Return whether nothing but marks of pytest runs when it is defined, and it assigns no name of the file."""
    given = (*function.decorator_list, function.args, function.returns)
    nodes = [node for each in given if each for node in ast.walk(each)]
    marks = [*function.decorator_list, *(node.func for node in nodes if isinstance(node, ast.Call))]
    are_known = all(dotted(mark).startswith(("pytest.mark.", "pytest.param")) for mark in marks)
    return are_known and not any(isinstance(node, ast.Global | ast.NamedExpr) for node in (*nodes, *ast.walk(function)))


def _tree_parts(parent: SgNode) -> Iterator[_Part]:
    marks = ""
    for node in (child for child in parent.children() if child.is_named()):
        kind, text, name = node.kind(), node.text(), node.field("name")
        if kind == "attribute_item":  # of Rust, on what follows
            marks += text
        elif "comment" in kind:
            yield _Part(text, None if _PRAGMA.search(text) else ())
        else:
            is_alone = kind == "class_declaration" and not node.field("superclass") and not node.field("interfaces")
            body = node.field("body") if is_alone else None
            names = _names(node, name.text() if name else "", marks)
            head, members = (text.removesuffix(body.text()), tuple(_tree_parts(body))) if body else ("", ())
            yield _Part(marks + text, names, head, members)
            marks = ""


def _names(node: SgNode, name: str, marks: str) -> tuple[str, ...] | None:
    """Return the names that a test binds, or an import of Java; None for anything else."""
    kind, text = node.kind(), node.text()
    if kind == "import_declaration" and (match := _JAVA_IMPORT.fullmatch(text)):
        return (match[1],)
    is_test = {
        "expression_statement": kind == "expression_statement" and _is_call_of_test(node),
        "function_declaration": bool(_GO_TEST.fullmatch(name)),
        "function_item": marks == "#[test]",
        "method_declaration": bool(_JAVA_TEST.match(text)),
    }
    return ((name,) if name else ()) if is_test.get(kind) else None


def _is_call_of_test(statement: SgNode) -> bool:
    """Return whether it is a test, or a suite with nothing but tests inside, that sets up and replaces nothing."""
    call = statement.children()[0]
    words, arguments = words_of(call), call.field("arguments")
    given = [each for each in arguments.children() if each.is_named()] if arguments else []
    if len(words) != 1 or [each.kind() in _KINDS for each in given] != [True, True]:
        return False
    body = given[1].field("body")
    if body is None or words[0] in _TESTS:
        return body is not None and not _REACHES_OTHERS.search(statement.text())
    inside = [*statements(body)] if body.kind() == "statement_block" else [body]
    return words[0] in _SUITES and all(
        each.kind() == "expression_statement" and _is_call_of_test(each) for each in inside
    )
