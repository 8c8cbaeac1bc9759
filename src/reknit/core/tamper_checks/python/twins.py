"""Copies of a target that expect a value far away, or the next number: they must be red, or it compares nothing.

Only a comparison that certainly takes place is used: one in a branch, in `with` or after a `return` may never run, and
then its copy is green without any tampering.
"""

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from reknit.core.tamper_checks.python.syntax import Function

MOST = 3
"""Copies of one target."""
ROW = "first"
"""The id of the only row that is left of `parametrize`."""
_TOLERANT = frozenset({"approx", "isclose", "round", "allclose", "almost", "delta", "places", "ANY", "abs"})
_EQUAL = frozenset(
    {"assertEqual", "assertEquals", "assertIs", "assertListEqual", "assertTupleEqual", "assertDictEqual"}
)
_OPPOSITES = {
    "assertTrue": "assertFalse",
    "assertFalse": "assertTrue",
    "assertIn": "assertNotIn",
    "assertNotIn": "assertIn",
    "assertIsNone": "assertIsNotNone",
    "assertIsNotNone": "assertIsNone",
    "assertEqual": "assertNotEqual",
    "assertNotEqual": "assertEqual",
}
_LEAVES = (ast.Return, ast.Break, ast.Continue, ast.Raise, ast.Yield, ast.YieldFrom)

Change = Callable[[], None]


@dataclass(frozen=True)
class Twin:
    function: Function
    """Still under the original's name."""
    parameters: str | None = None
    """`[first]` if only one row of `parametrize` is left; None: those of the original."""
    is_near: bool = False
    """It expects the next whole number."""


def twins(function: Function) -> list[Twin]:
    """One change each. A negated condition is the last resort: an object that is equal to everything passes it."""
    made = [Twin(each) for each in _changed(function, _value_changes)]
    made += [Twin(each, f"[{ROW}]") for each in _changed(function, _row_changes)]
    made = made or [Twin(each) for each in _changed(function, _negations)]
    near = [Twin(each, is_near=True) for each in _changed(function, _near_changes)]
    return [*made[:MOST], *near[:1]]


def _changed(function: Function, changes: Callable[[Function], Iterator[Change]]) -> Iterator[Function]:
    for at in range(len(list(changes(function)))):
        twin = copy.deepcopy(function)
        list(changes(twin))[at]()
        yield twin


def _value_changes(function: Function) -> Iterator[Change]:
    return map(_far_change, _expected(function))


def _near_changes(function: Function) -> Iterator[Change]:
    """Only whole numbers: nothing that compares them exactly takes one for the next."""
    for constant in _expected(function):
        if type(constant.value) is int:
            yield partial(setattr, constant, "value", constant.value - 1 if constant.value > 1 else constant.value + 1)


def _expected(function: Function) -> Iterator[ast.Constant]:
    for statement in _certain(function.body):
        sides = _sides(statement)
        written = [side for side in sides if _constants(side)]
        computed = [side for side in sides if not _is_literal(side)]
        if len(written) == 1 and computed:  # what is written down is expected, what is computed is looked at
            yield from _constants(written[0])


def _negations(function: Function) -> Iterator[Change]:
    for statement in _certain(function.body):
        if isinstance(statement, ast.Assert) and not isinstance(statement.test, ast.Constant):
            yield _negation(statement)
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _OPPOSITES:
            yield partial(setattr, call.func, "attr", _OPPOSITES[call.func.attr])


def _negation(statement: ast.Assert) -> Change:
    return lambda: setattr(statement, "test", ast.UnaryOp(ast.Not(), statement.test))


def _certain(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if isinstance(statement, ast.For) and _is_filled(statement.iter) and not _leaves(statement):
            yield from _certain(statement.body)
        elif _leaves(statement):
            return
        else:
            yield statement


def _is_filled(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple) and bool(node.elts)


def _leaves(statement: ast.stmt) -> bool:
    """Whether what follows may be left out: by `return`, or by a call in a branch that skips or ends the test."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    nodes = list(ast.walk(statement))
    if any(isinstance(node, _LEAVES) for node in nodes):
        return True
    return isinstance(statement, ast.Try) and bool(statement.handlers)


def _sides(statement: ast.stmt) -> Sequence[ast.expr]:
    """Both sides of what is compared without any tolerance; none if nothing is."""
    sides: Sequence[ast.expr] = ()
    if isinstance(statement, ast.Assert) and isinstance(statement.test, ast.Compare):
        is_equality = len(statement.test.ops) == 1 and isinstance(statement.test.ops[0], ast.Eq | ast.Is)
        sides = (statement.test.left, statement.test.comparators[0]) if is_equality else ()
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        name = getattr(statement.value.func, "attr", "")
        sides = statement.value.args[:2] if name in _EQUAL and len(statement.value.args) >= 2 else ()
    return () if any(map(_is_tolerant, sides)) else sides


def _is_tolerant(node: ast.AST) -> bool:
    words = (getattr(each, "id", "") or getattr(each, "attr", "") or "" for each in ast.walk(node))
    return any(word in _TOLERANT for word in words)


def _constants(node: ast.expr) -> list[ast.Constant]:
    """Those of a literal that can be changed; dictionaries by their values."""
    if isinstance(node, ast.Constant):
        return [node] if far(node.value) is not None else []
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _constants(node.operand)
    if not _is_literal(node):
        return []
    inner: Sequence[ast.expr] = ()
    if isinstance(node, ast.List | ast.Tuple):
        inner = node.elts
    elif isinstance(node, ast.Dict):
        inner = node.values
    return [constant for each in inner for constant in _constants(each)]


def _is_literal(node: ast.AST) -> bool:
    kinds = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.UnaryOp, ast.unaryop, ast.expr_context)
    return all(isinstance(each, kinds) for each in ast.walk(node))


def far(value: object) -> object:
    """Another value of its type, beyond any rounding; None if there is none."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float | complex):
        return value * 3 + 1009
    if isinstance(value, str):
        return f"{value}{value[::-1]}x"
    return value + b"x" if isinstance(value, bytes) else None


def _far_change(constant: ast.Constant) -> Change:
    return partial(setattr, constant, "value", far(constant.value))


def _row_changes(function: Function) -> Iterator[Change]:
    """In the first row of the only `parametrize`: the column that is compared and used for nothing else."""
    marks = [each for each in function.decorator_list if _is_parametrize(each)]
    if len(marks) != 1 or not isinstance(marks[0], ast.Call) or len(marks[0].args) != 2:
        return
    columns, rows = _columns(marks[0].args[0]), marks[0].args[1]
    if not isinstance(rows, ast.List | ast.Tuple) or not rows.elts:
        return
    compared = [side for statement in _certain(function.body) for side in _sides(statement)]
    for at, name in enumerate(columns):
        uses = [node for each in function.body for node in ast.walk(each) if getattr(node, "id", "") == name]
        cell = _cell(rows.elts[0], at, len(columns))
        if len(uses) == 1 and uses[0] in compared and cell and _constants(cell):
            yield _row_change(marks[0], rows, _constants(cell)[0])


def _is_parametrize(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "parametrize"


def _columns(names: ast.expr) -> list[str]:
    if isinstance(names, ast.Constant) and isinstance(names.value, str):
        return [name.strip() for name in names.value.split(",") if name.strip()]
    if isinstance(names, ast.List | ast.Tuple):
        return [str(getattr(each, "value", "")) for each in names.elts]
    return []


def _cell(row: ast.expr, at: int, count: int) -> ast.expr | None:
    """None for a row with marks: it may be skipped."""
    if isinstance(row, ast.Call):  # pytest.param
        return row.args[at] if at < len(row.args) and not any(each.arg != "id" for each in row.keywords) else None
    if count == 1:
        return row
    return row.elts[at] if isinstance(row, ast.List | ast.Tuple) and at < len(row.elts) else None


def _row_change(call: ast.Call, rows: ast.List | ast.Tuple, constant: ast.Constant) -> Change:
    """Only the first row stays, under an id of its own, since the values of a row are part of its id."""

    def change() -> None:
        _far_change(constant)()
        del rows.elts[1:]
        call.keywords = [each for each in call.keywords if each.arg != "ids"]
        call.keywords.append(ast.keyword("ids", ast.List([ast.Constant(ROW)], ast.Load())))
        if isinstance(rows.elts[0], ast.Call):
            rows.elts[0].keywords = []

    return change
