"""Signs in Python source that it knows about its tests, read from its syntax tree."""

import ast
import re
from collections.abc import Iterator, Sequence

from reknit.core.gate.syntax.always_equal import blind_comparisons
from reknit.core.gate.syntax.line_diff import changed_lines
from reknit.core.gate.syntax.python_tests import dotted, is_within, parse

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
"""How values compare, and the texts that doctest runs."""
_LOOKS_UP = re.compile(
    r"\bsys\s*\.\s*(?:modules|argv)\b|\bfrom\s+sys\s+import\b|\bimport_module\b|\b__import__\b|\bfind_spec\b"
)


def new_flags(before: str, after: str) -> list[str]:
    """What the source does now and did not do before; a sign that is already in base is its authors' own."""
    lines = changed_lines(before, after)
    found = _flags(after, lines[1] if lines else None)
    return sorted(found - _flags(before, None)) if found else []


def _flags(text: str, lines: range | None) -> frozenset[str]:
    module = parse(text)
    if module is None:
        return frozenset()
    body = [statement for statement in module.body if is_within(statement, lines)]
    nodes = [node for statement in body for node in ast.walk(statement)]
    looks_up = bool(_LOOKS_UP.search(text))
    return frozenset(
        [
            *_exits_on_import(body),
            *_exits_as_success(body),
            *(flag for node in nodes for flag in _flags_of(node)),
            *(flag for node in nodes if looks_up for flag in _runners_named(node)),
        ]
    )


def _flags_of(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from _imports(alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        yield from _imports([node.module or ""])
        yield from _members(f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.ClassDef):
        yield from (f"has an {name} that ignores what it compares" for name in blind_comparisons(node))
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        yield from _assignments(node.targets if isinstance(node, ast.Assign) else [node.target])
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _words(_joined(node))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from _words(node.value)
    elif isinstance(node, ast.Attribute) and node.attr in {name.rpartition(".")[2] for name in _TELLING_MEMBERS}:
        yield from _members([dotted(node)])
    name = _name_of(node)
    if name in _TELLING_NAMES:
        yield f"{_TELLING_NAMES[name]} ({name})"


def _calls(node: ast.Call) -> Iterator[str]:
    name = dotted(node.func)
    if name == "setattr" and node.args:
        yield from _assignments([ast.Attribute(node.args[0], "")])
    if name in ("exec", "eval"):
        inside = {dotted(one.func).rpartition(".")[2] for one in ast.walk(node) if isinstance(one, ast.Call)}
        yield from (f"runs obfuscated code ({word})" for word in sorted(inside & _UNPACKING))


def _imports(modules: Iterator[str] | Sequence[str]) -> Iterator[str]:
    roots = (module.split(".")[0] for module in modules)
    return (f"imports {root}" for root in roots if root in RUNNERS)


def _members(names: Iterator[str] | Sequence[str]) -> Iterator[str]:
    return (f"{_TELLING_MEMBERS[name]} ({name})" for name in names if name in _TELLING_MEMBERS)


def _words(text: str) -> Iterator[str]:
    yield from (f"names {word}" for word in _RUNNER_WORD.findall(text))
    if text in _SET_BY_HAND:
        yield f"sets {text} by hand"


def _joined(node: ast.expr) -> str:
    """The concatenation of literal strings; empty if any part is not a literal."""
    parts: list[str] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and len(parts) < 20:
        if not (isinstance(node.right, ast.Constant) and isinstance(node.right.value, str)):
            return ""
        parts.append(node.right.value)
        node = node.left
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return ""
    return "".join([node.value, *reversed(parts)])


def _assignments(targets: Sequence[ast.expr]) -> Iterator[str]:
    for target in targets:
        if isinstance(target, ast.Attribute) and dotted(target.value) == "builtins":
            yield "changes Python itself (builtins)"
        if _name_of(target) in _SET_BY_HAND:
            yield f"sets {_name_of(target)} by hand"


def _runners_named(node: ast.AST) -> Iterator[str]:
    text = _joined(node) if isinstance(node, ast.BinOp) else node.value if isinstance(node, ast.Constant) else ""
    if isinstance(text, str) and text.split(".")[0] in RUNNERS and re.fullmatch(r"[\w.]+", text):
        yield f"looks up a test runner ({text})"


def _name_of(node: ast.AST) -> str:
    """Including imported names, and strings that `getattr` could take."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return node.id if isinstance(node, ast.Name) else node.name if isinstance(node, ast.alias) else ""


def _exits_on_import(body: Sequence[ast.stmt]) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or _is_main_guard(statement):
            continue
        for node in ast.walk(statement):
            called = node.func if isinstance(node, ast.Call) else node.exc if isinstance(node, ast.Raise) else None
            if called is not None and dotted(called) in _EXITS:
                yield f"ends the process on import ({dotted(called)})"


def _exits_as_success(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Yield exits in functions that a test command judged by its exit code takes for success."""
    functions = (each for each in body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef))
    for node in (node for function in functions for node in ast.walk(function)):
        called = node if isinstance(node, ast.Call) else node.exc if isinstance(node, ast.Raise) else None
        name = dotted(called.func if isinstance(called, ast.Call) else called) if called is not None else ""
        code = called.args[0] if isinstance(called, ast.Call) and called.args else None
        is_failure = isinstance(code, ast.JoinedStr) or (isinstance(code, ast.Constant) and bool(code.value))
        if name in _EXITS and not is_failure:
            yield f"ends the process as a success ({name})"


def _is_main_guard(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and "__name__" in {
        node.id for node in ast.walk(statement.test) if isinstance(node, ast.Name)
    }
