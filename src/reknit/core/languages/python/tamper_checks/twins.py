"""Makes twins of a target: copies that expect another value and must be red.

Only comparisons that certainly run are changed. A comparison in a branch, in `with` or after a `return` may never run;
its copy would be green without any tampering.
"""

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from reknit.core.languages.python.tamper_checks.syntax import Function

MAX_TWINS = 3
"""Maximum number of copies of one target."""
ROW = "first"
"""Id of the only row that remains in `parametrize`."""
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
    """One changed copy of a target."""

    function: Function
    """The copy, still under the original's name."""
    parameters: str | None = None
    """`[first]` if only one row of `parametrize` remains; None: the original's."""
    is_near: bool = False
    """True if it expects the next whole number."""


def make_twins(function: Function) -> list[Twin]:
    """Make copies with one change each. Negate conditions only if no value can be changed.

    Such a copy shows less: an object that equals anything passes it.
    """
    copies = [Twin(changed) for changed in _apply_changes(function, _list_value_changes)]
    copies += [Twin(changed, f"[{ROW}]") for changed in _apply_changes(function, _list_row_changes)]
    copies = copies or [Twin(changed) for changed in _apply_changes(function, _list_negations)]
    near = [Twin(changed, is_near=True) for changed in _apply_changes(function, _list_near_changes)]
    return [*copies[:MAX_TWINS], *near[:1]]


def _apply_changes(function: Function, changes: Callable[[Function], Iterator[Change]]) -> Iterator[Function]:
    for at in range(len(list(changes(function)))):
        twin = copy.deepcopy(function)
        list(changes(twin))[at]()
        yield twin


def _list_value_changes(function: Function) -> Iterator[Change]:
    return map(_change_constant, _find_expected(function))


def _list_near_changes(function: Function) -> Iterator[Change]:
    """Yield changes of whole numbers by one, which every exact comparison notices."""
    for constant in _find_expected(function):
        if type(constant.value) is int:
            yield partial(setattr, constant, "value", constant.value - 1 if constant.value > 1 else constant.value + 1)


def _find_expected(function: Function) -> Iterator[ast.Constant]:
    for statement in _list_certain_statements(function.body):
        sides = _find_compared_sides(statement)
        literals = [side for side in sides if _list_constants(side)]
        computed = [side for side in sides if not _is_literal(side)]
        if len(literals) == 1 and computed:  # the literal is the expected value
            yield from _list_constants(literals[0])


def _list_negations(function: Function) -> Iterator[Change]:
    for statement in _list_certain_statements(function.body):
        if isinstance(statement, ast.Assert) and not isinstance(statement.test, ast.Constant):
            yield _negate(statement)
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _OPPOSITES:
            yield partial(setattr, call.func, "attr", _OPPOSITES[call.func.attr])


def _negate(statement: ast.Assert) -> Change:
    return lambda: setattr(statement, "test", ast.UnaryOp(ast.Not(), statement.test))


def _list_certain_statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if isinstance(statement, ast.For) and _is_filled(statement.iter) and not _may_leave(statement):
            yield from _list_certain_statements(statement.body)
        elif _may_leave(statement):
            return
        else:
            yield statement


def _is_filled(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple) and bool(node.elts)


def _may_leave(statement: ast.stmt) -> bool:
    """Return True if the rest may be skipped: by `return`, or by a call in a branch that skips or ends the test."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    nodes = list(ast.walk(statement))
    if any(isinstance(node, _LEAVES) for node in nodes):
        return True
    return isinstance(statement, ast.Try) and bool(statement.handlers)


def _find_compared_sides(statement: ast.stmt) -> Sequence[ast.expr]:
    """Return both sides of an exact comparison; none if there is no such comparison."""
    sides: Sequence[ast.expr] = ()
    if isinstance(statement, ast.Assert) and isinstance(statement.test, ast.Compare):
        is_equality = len(statement.test.ops) == 1 and isinstance(statement.test.ops[0], ast.Eq | ast.Is)
        sides = (statement.test.left, statement.test.comparators[0]) if is_equality else ()
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        name = getattr(statement.value.func, "attr", "")
        sides = statement.value.args[:2] if name in _EQUAL and len(statement.value.args) >= 2 else ()
    return () if any(map(_is_tolerant, sides)) else sides


def _is_tolerant(node: ast.AST) -> bool:
    words = (getattr(part, "id", "") or getattr(part, "attr", "") or "" for part in ast.walk(node))
    return any(word in _TOLERANT for word in words)


def _list_constants(node: ast.expr) -> list[ast.Constant]:
    """Return the changeable constants in a literal; in a dictionary, only those of its values."""
    if isinstance(node, ast.Constant):
        return [node] if change_value(node.value) is not None else []
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _list_constants(node.operand)
    if not _is_literal(node):
        return []
    inner: Sequence[ast.expr] = ()
    if isinstance(node, ast.List | ast.Tuple):
        inner = node.elts
    elif isinstance(node, ast.Dict):
        inner = node.values
    return [constant for part in inner for constant in _list_constants(part)]


def _is_literal(node: ast.AST) -> bool:
    kinds = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.UnaryOp, ast.unaryop, ast.expr_context)
    return all(isinstance(part, kinds) for part in ast.walk(node))


def change_value(value: object) -> object:
    """Return another value of the same type that no rounding makes equal; None if there is none."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float | complex):
        return value * 3 + 1009
    if isinstance(value, str):
        return f"{value}{value[::-1]}x"
    return value + b"x" if isinstance(value, bytes) else None


def _change_constant(constant: ast.Constant) -> Change:
    return partial(setattr, constant, "value", change_value(constant.value))


def _list_row_changes(function: Function) -> Iterator[Change]:
    """Yield changes in the first row of the only `parametrize`, in a column used only for comparison."""
    marks = [decorator for decorator in function.decorator_list if _is_parametrize(decorator)]
    if len(marks) != 1 or not isinstance(marks[0], ast.Call) or len(marks[0].args) != 2:
        return
    columns, rows = _list_columns(marks[0].args[0]), marks[0].args[1]
    if not isinstance(rows, ast.List | ast.Tuple) or not rows.elts:
        return
    compared = [
        side for statement in _list_certain_statements(function.body) for side in _find_compared_sides(statement)
    ]
    for at, name in enumerate(columns):
        uses = [node for statement in function.body for node in ast.walk(statement) if getattr(node, "id", "") == name]
        cell = _find_cell(rows.elts[0], at, len(columns))
        if len(uses) == 1 and uses[0] in compared and cell and _list_constants(cell):
            yield _change_row(marks[0], rows, _list_constants(cell)[0])


def _is_parametrize(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "parametrize"


def _list_columns(names: ast.expr) -> list[str]:
    if isinstance(names, ast.Constant) and isinstance(names.value, str):
        return [name.strip() for name in names.value.split(",") if name.strip()]
    if isinstance(names, ast.List | ast.Tuple):
        return [str(getattr(element, "value", "")) for element in names.elts]
    return []


def _find_cell(row: ast.expr, at: int, count: int) -> ast.expr | None:
    """Return the cell; None for a row with marks, because it may be skipped."""
    if isinstance(row, ast.Call):  # pytest.param
        return row.args[at] if at < len(row.args) and not any(keyword.arg != "id" for keyword in row.keywords) else None
    if count == 1:
        return row
    return row.elts[at] if isinstance(row, ast.List | ast.Tuple) and at < len(row.elts) else None


def _change_row(call: ast.Call, rows: ast.List | ast.Tuple, constant: ast.Constant) -> Change:
    """Return a change that keeps only the first row, with an id of its own: ids contain the row's values."""

    def change() -> None:
        _change_constant(constant)()
        del rows.elts[1:]
        call.keywords = [keyword for keyword in call.keywords if keyword.arg != "ids"]
        call.keywords.append(ast.keyword("ids", ast.List([ast.Constant(ROW)], ast.Load())))
        if isinstance(rows.elts[0], ast.Call):
            rows.elts[0].keywords = []

    return change
