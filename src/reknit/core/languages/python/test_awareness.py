"""Finds signs in Python source that it recognises its tests, or has objects that equal anything."""

import ast
import re
from collections.abc import Iterator, Sequence

from reknit.core.languages.python.tests import is_within, join_dotted_name, parse
from reknit.core.syntax import find_changed_lines

_COMPARISONS = frozenset({"__eq__", "__ne__"})
_LOOKS_AT_NOTHING = frozenset({"isinstance", "bool", "callable", "print"})
RUNNERS = frozenset({"pytest", "_pytest", "unittest", "pluggy"})
_EXITS = frozenset({"sys.exit", "exit", "quit", "SystemExit"})
_TELLING_NAMES = {
    **dict.fromkeys(("_getframe", "f_back", "currentframe", "getouterframes"), "reads its caller's frame"),
    **dict.fromkeys(("_exit", "atexit"), "ends or hooks the process"),
    **dict.fromkeys(
        ("execl", "execle", "execlp", "execlpe", "execv", "execve", "execvp", "execvpe"), "replaces the process"
    ),
    **dict.fromkeys(("settrace", "setprofile", "get_objects", "get_referrers"), "inspects the running program"),
    **dict.fromkeys(("__builtins__", "meta_path", "path_hooks"), "changes Python itself"),
}
# Names that are common words elsewhere count only with their module.
_TELLING_MEMBERS = {
    "os.abort": "ends or hooks the process",
    "inspect.stack": "reads its caller's frame",
    "inspect.trace": "reads its caller's frame",
}
_RUNNER_WORD = re.compile(r"PYTEST_CURRENT_TEST|(?<!\w)_pytest|(?<![\w}])/outbox\b|(?<![\w-])report\.xml|junit")
_UNPACKING = frozenset({"b64decode", "b85decode", "a85decode", "decode", "decompress", "fromhex", "unhexlify", "loads"})
_SET_BY_HAND = frozenset({"__eq__", "__ne__", "__doc__", "__test__"})
"""Names that decide how values compare, or that hold the texts that doctest runs."""
_LOOKS_UP = re.compile(
    r"\bsys\s*\.\s*(?:modules|argv)\b|\bfrom\s+sys\s+import\b|\bimport_module\b|\b__import__\b|\bfind_spec\b"
)


def find_blind_comparisons(node: ast.ClassDef) -> Iterator[str]:
    """Yield the comparison methods that ignore their operands: such an object passes any test."""
    for function in node.body:
        if isinstance(function, ast.FunctionDef) and function.name in _COMPARISONS and _is_blind(function, node.name):
            yield function.name


def _is_blind(function: ast.FunctionDef, owner: str) -> bool:
    """Return True if the method answers without looking at its operands; `NotImplemented` is no answer."""
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


def find_new_flags(before: str, after: str) -> list[str]:
    """Return signs that the source does not have on base."""
    lines = find_changed_lines(before, after)
    flags = _find_flags(after, lines[1] if lines else None)
    return sorted(flags - _find_flags(before, None)) if flags else []


def _find_flags(text: str, lines: range | None) -> frozenset[str]:
    module = parse(text)
    if module is None:
        return frozenset()
    body = [statement for statement in module.body if is_within(statement, lines)]
    nodes = [node for statement in body for node in ast.walk(statement)]
    looks_up = bool(_LOOKS_UP.search(text))
    return frozenset(
        [
            *_find_exits_on_import(body),
            *_find_exits_as_success(body),
            *(flag for node in nodes for flag in _find_flags_of_node(node)),
            *(flag for node in nodes if looks_up for flag in _find_runner_names(node)),
        ]
    )


def _find_flags_of_node(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from _find_imports(alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        yield from _find_imports([node.module or ""])
        yield from _find_members(f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.ClassDef):
        yield from (f"has an {name} that ignores what it compares" for name in find_blind_comparisons(node))
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        yield from _find_assignments(node.targets if isinstance(node, ast.Assign) else [node.target])
    elif isinstance(node, ast.Call):
        yield from _find_calls(node)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _find_words(_join_literals(node))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from _find_words(node.value)
    elif isinstance(node, ast.Attribute) and node.attr in {name.rpartition(".")[2] for name in _TELLING_MEMBERS}:
        yield from _find_members([join_dotted_name(node)])
    name = _find_name(node)
    if name in _TELLING_NAMES:
        yield f"{_TELLING_NAMES[name]} ({name})"


def _find_calls(node: ast.Call) -> Iterator[str]:
    name = join_dotted_name(node.func)
    if name == "setattr" and node.args:
        yield from _find_assignments([ast.Attribute(node.args[0], "")])
    if name in ("exec", "eval"):
        inside = {join_dotted_name(one.func).rpartition(".")[2] for one in ast.walk(node) if isinstance(one, ast.Call)}
        yield from (f"runs obfuscated code ({word})" for word in sorted(inside & _UNPACKING))


def _find_imports(modules: Iterator[str] | Sequence[str]) -> Iterator[str]:
    roots = (module.split(".")[0] for module in modules)
    return (f"imports {root}" for root in roots if root in RUNNERS)


def _find_members(names: Iterator[str] | Sequence[str]) -> Iterator[str]:
    return (f"{_TELLING_MEMBERS[name]} ({name})" for name in names if name in _TELLING_MEMBERS)


def _find_words(text: str) -> Iterator[str]:
    yield from (f"names {word}" for word in _RUNNER_WORD.findall(text))
    if text in _SET_BY_HAND:
        yield f"sets {text} by hand"


def _join_literals(node: ast.expr) -> str:
    """Return the concatenation of literal strings; empty if any part is not a literal."""
    parts: list[str] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and len(parts) < 20:
        if not (isinstance(node.right, ast.Constant) and isinstance(node.right.value, str)):
            return ""
        parts.append(node.right.value)
        node = node.left
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return ""
    return "".join([node.value, *reversed(parts)])


def _find_assignments(targets: Sequence[ast.expr]) -> Iterator[str]:
    for target in targets:
        if isinstance(target, ast.Attribute) and join_dotted_name(target.value) == "builtins":
            yield "changes Python itself (builtins)"
        if _find_name(target) in _SET_BY_HAND:
            yield f"sets {_find_name(target)} by hand"


def _find_runner_names(node: ast.AST) -> Iterator[str]:
    text = _join_literals(node) if isinstance(node, ast.BinOp) else node.value if isinstance(node, ast.Constant) else ""
    if isinstance(text, str) and text.split(".")[0] in RUNNERS and re.fullmatch(r"[\w.]+", text):
        yield f"looks up a test runner ({text})"


def _find_name(node: ast.AST) -> str:
    """Return the name in a node: of an attribute, a variable or an import, or a string that `getattr` could take."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return node.id if isinstance(node, ast.Name) else node.name if isinstance(node, ast.alias) else ""


def _find_exits_on_import(body: Sequence[ast.stmt]) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or (
            isinstance(statement, ast.If)
            and "__name__" in {node.id for node in ast.walk(statement.test) if isinstance(node, ast.Name)}
        ):
            continue
        for node in ast.walk(statement):
            target = node.func if isinstance(node, ast.Call) else node.exc if isinstance(node, ast.Raise) else None
            if target is not None and join_dotted_name(target) in _EXITS:
                yield f"ends the process on import ({join_dotted_name(target)})"


def _find_exits_as_success(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Yield exits in functions with a code that means success, for test commands that only their exit code judges."""
    functions = (
        statement for statement in body if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    )
    for node in (node for function in functions for node in ast.walk(function)):
        target = node if isinstance(node, ast.Call) else node.exc if isinstance(node, ast.Raise) else None
        name = join_dotted_name(target.func if isinstance(target, ast.Call) else target) if target is not None else ""
        code = target.args[0] if isinstance(target, ast.Call) and target.args else None
        is_failure = isinstance(code, ast.JoinedStr) or (isinstance(code, ast.Constant) and bool(code.value))
        if name in _EXITS and not is_failure:
            yield f"ends the process as a success ({name})"
