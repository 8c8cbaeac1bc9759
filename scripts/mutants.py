"""Small changes to a Python source, each of which some test should notice."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

_COMPARED: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Eq: ast.NotEq(), ast.NotEq: ast.Eq(), ast.Lt: ast.LtE(), ast.LtE: ast.Lt(), ast.Gt: ast.GtE(),
    ast.GtE: ast.Gt(), ast.In: ast.NotIn(), ast.NotIn: ast.In(), ast.Is: ast.IsNot(), ast.IsNot: ast.Is(),
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], ast.operator] = {
    ast.Add: ast.Sub(), ast.Sub: ast.Add(), ast.Mult: ast.Add(), ast.BitOr: ast.BitAnd(), ast.BitAnd: ast.BitOr(),
}  # fmt: skip
_CALLED = {"any": "all", "all": "any", "min": "max", "max": "min", "startswith": "endswith", "endswith": "startswith"}
_REMOVED = (ast.Expr, ast.AugAssign, ast.Continue, ast.Break, ast.Raise)
_TYPE_ONLY = {"Literal", "TypeVar", "cast", "NewType"}


@dataclass(frozen=True)
class Mutant:
    path: str
    line: int
    start: int
    """Bytes from the beginning of the source."""
    end: int
    before: str
    after: str

    @property
    def id(self) -> str:
        return " ".join(f"{self.path}:{self.line} {self.before} -> {self.after}".split())

    def apply(self, source: bytes) -> bytes:
        return source[: self.start] + self.after.encode() + source[self.end :]


def mutants_of(path: str, source: bytes) -> list[Mutant]:
    """In the order of the text. Types, docstrings, caches and sentences for people are left as they are."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node, after in _changes(ast.parse(source)):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        before = source[begin:end].decode()
        if after != before:
            found.append(Mutant(path, node.lineno, begin, end, before, after))
    return sorted(found, key=lambda each: (each.start, each.end, each.after))


Place = ast.expr | ast.stmt


def _changes(node: ast.AST) -> Iterator[tuple[Place, str]]:
    """Nodes, and the text to put in the place of each."""
    if isinstance(node, ast.JoinedStr) or _is_for_types(node):
        return
    for child in _children(node):
        yield from _changes(child)
    match node:
        case ast.Compare(ops=[op]) if type(op) in _COMPARED:
            yield node, f"({ast.unparse(ast.Compare(node.left, [_COMPARED[type(op)]], node.comparators))})"
        case ast.BoolOp(op=op, values=values):
            yield (
                node,
                f"({(' or ' if isinstance(op, ast.And) else ' and ').join(f'({ast.unparse(v)})' for v in values)})",
            )
        case ast.BinOp(op=op) if type(op) in _COMPUTED:
            yield node, f"({ast.unparse(ast.BinOp(node.left, _COMPUTED[type(op)], node.right))})"
        case ast.UnaryOp(op=ast.Not()):
            yield node, f"({ast.unparse(node.operand)})"
        case ast.IfExp():
            yield node, f"({ast.unparse(ast.IfExp(node.test, node.orelse, node.body))})"
        case ast.Constant():
            yield from ((node, after) for after in _other_constants(node.value))
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            if len(elements) > 1 and all(isinstance(each, ast.Constant) for each in elements):
                yield from ((each, "*()") for each in elements)
        case ast.Call(func=ast.Name(id=name) as called) if name in _CALLED:
            yield called, _CALLED[name]
        case ast.Call(func=ast.Attribute(attr=name, value=of) as called) if name in _CALLED:
            yield called, f"({ast.unparse(of)}).{_CALLED[name]}"
        case ast.comprehension(ifs=conditions):
            yield from ((each, "True") for each in conditions)
        case ast.If(test=test) | ast.While(test=test):
            yield test, "False"
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and not value.value):
            yield value, "None"  # what is false already would mean the same
        case ast.FunctionDef(returns=ast.Name(id="bool")):
            yield from ((each, f"(not ({ast.unparse(each)}))") for each in _returned(node))
    if isinstance(node, _REMOVED) and not _is_text(node):
        yield node, "pass"


def _children(node: ast.AST) -> Iterator[ast.AST]:
    skipped: list[ast.AST] = []
    match node:
        case ast.FunctionDef():
            skipped = [*([node.returns] if node.returns else []), *node.decorator_list]
        case ast.ClassDef():
            skipped = [*node.decorator_list, *node.bases, *node.keywords]
        case ast.AnnAssign():
            skipped = [node.annotation]
        case ast.arg():
            return
    yield from (child for child in ast.iter_child_nodes(node) if child not in skipped)


def _is_for_types(node: ast.AST) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Subscript(value=ast.Name(id=name)) | ast.Call(func=ast.Name(id=name)):
            return name in _TYPE_ONLY
    return isinstance(node, ast.stmt) and _is_text(node)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _returned(function: ast.FunctionDef) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value and not isinstance(node.value, ast.Constant | ast.Compare):
            yield node.value


def _other_constants(value: object) -> Iterator[str]:
    match value:
        case bool():
            yield str(not value)
        case int():
            yield from (str(value + 1), str(value - 1)) if value else ("1",)
        case bytes():
            yield "b''" if value else "b'x'"
        case str() if value.count(" ") > 2 and not _is_pattern(value):
            return  # a sentence for people
        case str():
            yield "''" if value else "'x'"
            yield from (repr(each) for each in _fewer_alternatives(value))


def _is_pattern(text: str) -> bool:
    return bool(re.search(r"\\[bwsdS.]|\(\?|\[\^", text))


def _fewer_alternatives(pattern: str) -> Iterator[str]:
    """The regular expression without one of its alternatives, for each of them."""
    if "|" not in pattern or len(pattern) < 4:
        return
    opened, is_class, bars = [[0]], False, list[tuple[int, int]]()
    position = 0
    while position < len(pattern):
        character = pattern[position]
        if character == "\\":
            position += 2
            continue
        if is_class:
            is_class = character != "]"
        elif character == "[":
            is_class = True
        elif character == "(":
            kind = re.compile(r"\((?:\?(?:[:=!>]|<[=!]|P<\w+>|[a-z]+:))?").match(pattern, position)
            opened.append([kind.end() if kind else position + 1])
        elif character == "|":
            opened[-1].append(position + 1)
        elif character == ")":
            bars.extend(_spans(opened.pop(), position))
        position += 1
    for begin, end in (*bars, *_spans(opened[0], len(pattern))):
        yield pattern[:begin] + pattern[end:]


def _spans(starts: list[int], end: int) -> Iterator[tuple[int, int]]:
    """Each alternative with one bar beside it."""
    if len(starts) > 1:
        yield from pairwise(starts)
        yield starts[-1] - 1, end
