"""Compares code before and after a change: does a test file only gain tests, and did more than comments change?"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reknit.core.languages.python.tests import Function, join_dotted_name, parse
from reknit.core.repository.change import Change, FileChange
from reknit.core.repository.paths import is_python
from reknit.core.syntax import Syntax, list_statements, parse_tree
from reknit.core.syntax import split_dotted_name as words_of

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_LANGUAGES: Mapping[str, Syntax] = {
    ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript", ".ts": "typescript",
    ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx", ".go": "go", ".java": "java", ".rs": "rust",
}  # fmt: skip
_LINE_END = re.compile(r"\r\n?|\n")
_STAR = re.compile(r"^[ \t]*from\b[^\n]*\bimport[ \t(]*\*", re.M)
_COOKIE = re.compile(r"coding[:=](?![ \t]*utf-?8\b)")
_GO_TEST = re.compile(r"(?:Test(?!Main$)|Benchmark|Example|Fuzz)(?![a-z])\w*")
_PYTHON_NAMES = {False: re.compile("test|_(?!_)"), True: re.compile("test")}
"""Names that functions added to a file (False) or to a class (True) may have; a runner may call other methods."""
_PLAIN_BASES = frozenset({"object", "TestCase", "unittest.TestCase"})
_TESTS, _SUITES = frozenset({"it", "test", "specify"}), frozenset({"describe", "suite", "context"})
_KINDS = frozenset({"string", "arrow_function", "function_expression"})
"""Kinds of a test's arguments: its title and its function."""
_REACHES_OTHERS = re.compile(
    r"mock|hoist|globalThis|\.only\b|\b(?:before|after|setup|teardown)(?:Each|All)?\s*\(", re.I
)
_JAVA_TEST = re.compile(r"@Test\s+(?:@DisplayName\(\"[^\"]*\"\)\s+)?(?:public\s+)?void\s")
_JAVA_IMPORT = re.compile(r"import\s+(?:static\s+)?[\w.]+\.(\w+)\s*;")
_PRAGMA = re.compile(r"@|go:|\+build|^//(?:line|export)")
_BLANK_FREE_LANGUAGES: Mapping[str, Syntax] = {
    ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript", ".ts": "typescript",
    ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx", ".go": "go", ".java": "java", ".rs": "rust", ".c": "c",
    ".h": "cpp", ".cc": "cpp", ".cpp": "cpp", ".hpp": "cpp", ".cs": "csharp", ".rb": "ruby", ".php": "php",
    ".kt": "kotlin", ".swift": "swift", ".scala": "scala", ".css": "css",
}  # fmt: skip
"""Languages by extension in which blanks have no meaning of their own."""


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
    """Return True if a test file only gained tests; False for a language that cannot be read here."""
    old, new, known_names = _split_parts(path, before), _split_parts(path, after), frozenset(re.findall(r"\w+", before))
    # U+FFFD stands for any byte that is no text, so changes of it are invisible; a star hides the imported names.
    is_readable = "\ufffd" not in before + after and not _STAR.search(before)
    return bool(old) and is_readable and _only_adds(old, new, known_names)


def _only_adds(before: Sequence[_Part], after: Sequence[_Part], known_names: frozenset[str]) -> bool:
    """Return True if all of `before` is in `after`, in this order, and the rest binds names that nothing uses."""
    remaining = [*before]
    for part in after:
        old = remaining[0] if remaining else _Part("")
        gains = bool(part.head) and part.head == old.head and _only_adds(old.members, part.members, known_names)
        if gains or part.text == old.text:
            remaining.pop(0)
        elif part.names is None or not known_names.isdisjoint(part.names):
            return False
    return not remaining


def _split_parts(path: str, text: str) -> tuple[_Part, ...]:
    """Return the parts of a file; empty: it cannot be read."""
    if path.endswith(".py"):
        lines, module = _LINE_END.split(text.removeprefix("\ufeff")), parse(text)
        # If the file declares another encoding, the interpreter reads another text than we do.
        is_read = module and not any(map(_COOKIE.search, lines[:2]))
        return tuple(_split_python(module.body, lines)) if module and is_read else ()
    language = _LANGUAGES.get(posixpath.splitext(path.lower())[1])
    tree = parse_tree(text, language) if language else None
    return tuple(_split_tree(tree)) if tree and not tree.find(kind="ERROR") else ()


def _split_python(body: Sequence[ast.stmt], lines: Sequence[str], *, of_class: bool = False) -> Iterator[_Part]:
    for node in body:
        text = "\n".join(lines[_find_first_line(node) - 1 : node.end_lineno])
        if isinstance(node, ast.Import | ast.ImportFrom) and not of_class:
            yield from _split_imports(node)
        elif isinstance(node, ast.ClassDef):
            head = "\n".join(lines[_find_first_line(node) - 1 : _find_first_line(node.body[0]) - 1]).strip()
            members = tuple(_split_python(node.body, lines, of_class=True))
            # With other base classes, a new test could replace an inherited one of the same name.
            is_plain = not node.keywords and _PLAIN_BASES.issuperset(map(join_dotted_name, node.bases))
            is_new = is_plain and not node.decorator_list and all(part.names is not None for part in members)
            yield _Part(text, (node.name,) if is_new else None, head if is_plain else "", members)
        elif isinstance(node, Function) and _PYTHON_NAMES[of_class].match(node.name) and _is_harmless(node):
            yield _Part(text, (node.name,))
        else:
            is_docstring = of_class and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            yield _Part(text, () if is_docstring else None)


def _split_imports(node: ast.Import | ast.ImportFrom) -> Iterator[_Part]:
    origin = f"{'.' * node.level}{node.module}" if isinstance(node, ast.ImportFrom) else ""
    for alias in node.names:
        name = alias.asname or alias.name.partition(".")[0]
        is_plain = name != "*" and origin != "__future__"
        yield _Part(f"import {origin} {alias.name} {name}", (name,) if is_plain else None)


def _find_first_line(node: ast.stmt) -> int:
    first: int = min(part.lineno for part in (node, *getattr(node, "decorator_list", ())))
    return first


def _is_harmless(function: Function) -> bool:
    """Return True if its definition runs only marks of pytest, and it assigns no names outside of it."""
    parts = (*function.decorator_list, function.args, function.returns)
    nodes = [node for part in parts if part for node in ast.walk(part)]
    marks = [*function.decorator_list, *(node.func for node in nodes if isinstance(node, ast.Call))]
    are_pytest_marks = all(join_dotted_name(mark).startswith(("pytest.mark.", "pytest.param")) for mark in marks)
    return are_pytest_marks and not any(
        isinstance(node, ast.Global | ast.NamedExpr) for node in (*nodes, *ast.walk(function))
    )


def _split_tree(parent: SgNode) -> Iterator[_Part]:
    marks = ""
    for node in (child for child in parent.children() if child.is_named()):
        kind, text, name = node.kind(), node.text(), node.field("name")
        if kind == "attribute_item":  # Rust: it belongs to the next item
            marks += text
        elif "comment" in kind:
            yield _Part(text, None if _PRAGMA.search(text) else ())
        else:
            is_alone = kind == "class_declaration" and not node.field("superclass") and not node.field("interfaces")
            body = node.field("body") if is_alone else None
            names = _find_bound_names(node, name.text() if name else "", marks)
            head, members = (text.removesuffix(body.text()), tuple(_split_tree(body))) if body else ("", ())
            yield _Part(marks + text, names, head, members)
            marks = ""


def _find_bound_names(node: SgNode, name: str, marks: str) -> tuple[str, ...] | None:
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
    """Return True if it is a test, or a suite that contains only tests, without set-up, mocks and `only`."""
    call = statement.children()[0]
    words, arguments = words_of(call), call.field("arguments")
    call_arguments = [argument for argument in arguments.children() if argument.is_named()] if arguments else []
    if len(words) != 1 or [argument.kind() in _KINDS for argument in call_arguments] != [True, True]:
        return False
    body = call_arguments[1].field("body")
    if body is None or words[0] in _TESTS:
        return body is not None and not _REACHES_OTHERS.search(statement.text())
    inside = [*list_statements(body)] if body.kind() == "statement_block" else [body]
    return words[0] in _SUITES and all(
        statement.kind() == "expression_statement" and _is_call_of_test(statement) for statement in inside
    )


def list_code_paths(change: Change) -> tuple[str, ...]:
    """Return the files in which more than comments and blanks changed."""
    return tuple(file.path for file in change.files if _changes_code(file))


def _changes_code(file: FileChange) -> bool:
    if file.before is None or file.after is None or file.mode_before != file.mode_after:
        return True
    return _normalize_code(file.path, file.text_before) != _normalize_code(file.path, file.text_after)


def _normalize_code(path: str, text: str) -> str | list[str]:
    """Return code without comments and blanks; in an unknown language, without empty lines and blanks at line ends."""
    language = _BLANK_FREE_LANGUAGES.get(posixpath.splitext(path.lower())[1])
    if language:
        return _strip_comments(text, language).split()
    module = parse(text) if is_python(path) else None
    return ast.dump(module) if module else [line.rstrip() for line in text.splitlines() if line.strip()]


def _strip_comments(text: str, language: Syntax) -> str:
    pieces, start, nodes = [], 0, [parse_tree(text, language)]
    while nodes:
        node = nodes.pop()
        if "comment" not in node.kind():
            nodes += reversed(node.children())
            continue
        place = node.range()
        pieces.append(text[start : place.start.index])
        start = place.end.index
    return " ".join([*pieces, text[start:]])
