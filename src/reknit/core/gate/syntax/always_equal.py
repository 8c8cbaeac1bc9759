"""Comparisons that ignore what they compare: an object that equals anything passes any test."""

import ast
from collections.abc import Iterator

_COMPARISONS = frozenset({"__eq__", "__ne__"})
_LOOKS_AT_NOTHING = frozenset({"isinstance", "bool", "callable", "print"})


def blind_comparisons(node: ast.ClassDef) -> Iterator[str]:
    for function in node.body:
        if isinstance(function, ast.FunctionDef) and function.name in _COMPARISONS and _is_blind(function, node.name):
            yield function.name


def _is_blind(function: ast.FunctionDef, owner: str) -> bool:
    """It answers, but nothing in it depends on its operands; `NotImplemented` leaves the answer to the other side."""
    operands = frozenset(argument.arg for argument in function.args.posonlyargs + function.args.args)
    nodes = list(ast.walk(function))
    answers = [node.value for node in nodes if isinstance(node, ast.Return) and node.value is not None]
    is_an_answer = any(not (isinstance(value, ast.Name) and value.id == "NotImplemented") for value in answers)
    return is_an_answer and not any(_looks_at(node, operands, owner) for node in nodes)


def _looks_at(node: ast.AST, operands: frozenset[str], owner: str) -> bool:
    if isinstance(node, ast.Attribute | ast.Subscript):
        return _is_operand(node.value, operands)
    if isinstance(node, ast.Compare):
        return sum(_is_operand(side, operands) for side in (node.left, *node.comparators)) > 1
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name) and node.func.id in _LOOKS_AT_NOTHING:
        # Two marker objects of one class may well be equal.
        return any(isinstance(argument, ast.Name) and argument.id == owner for argument in node.args[1:])
    return any(_is_operand(argument, operands) for argument in node.args)


def _is_operand(node: ast.expr, operands: frozenset[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in operands
