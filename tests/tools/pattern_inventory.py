"""Every regular expression of the package, found by the syntax tree, with its value and how it is used."""

import ast
import functools
import importlib
import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

PACKAGE = Path(__file__).parents[2] / "src" / "reknit"
_FUNCTIONS = frozenset(
    {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer", "template"}
)
_COMPILED_USES = _FUNCTIONS - {"compile", "template"}
_NO_PATTERNS = ("demo_repository", "migrations")


@dataclass(frozen=True)
class Site:
    """One call of `re` in the source."""

    file: str
    line: int
    function: str
    name: str
    """The module's name that the compiled pattern is bound to; empty: none."""
    constant: tuple[str | bytes, int] | None
    """Pattern and flags where both are written down in the call."""
    in_function: bool


@dataclass(frozen=True)
class Expression:
    where: str
    pattern: str | bytes
    flags: int
    uses: frozenset[str]


@dataclass
class Inventory:
    expressions: list[Expression] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    """Sites whose pattern is put together while the program runs, and that nobody gave an example of."""


@functools.cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@functools.cache
def _nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(_tree(path)))


def sources() -> Iterator[Path]:
    for path in sorted(PACKAGE.rglob("*.py")):
        if not any(part in _NO_PATTERNS for part in path.parts):
            yield path


def inventory(examples: Mapping[str, Callable[[], str | bytes]]) -> Inventory:
    """`examples`: `file:function` -> a pattern that a call which builds its pattern at run time may be given."""
    made = _made_by_import()
    uses = _uses()
    found = Inventory()
    for site in (site for path in sources() for site in _sites(path)):
        where = f"{site.file}:{site.line}"
        how = (
            frozenset({site.function})
            if site.function != "compile"
            else uses.get((site.file, site.name), _COMPILED_USES)
        )
        if site.constant:
            pairs = [site.constant]
        elif not site.in_function:
            pairs = made.get((site.file, site.line), [])
        else:
            example = examples.get(f"{site.file}:{site.function}")
            pairs = [(example(), 0)] if example else []
        if not pairs:
            found.unknown.append(where)
        label = f"{site.file}:{site.name or site.line}"
        found.expressions += [Expression(label, pattern, flags, how) for pattern, flags in pairs]
    return found


def foreign_imports() -> list[str]:
    """Other ways to `re` than `import re`, which would hide a pattern from this list."""
    found = []
    for path in sources():
        for node in _nodes(path):
            renamed = [alias.name for alias in node.names if alias.asname] if isinstance(node, ast.Import) else []
            module = node.module if isinstance(node, ast.ImportFrom) else ""
            if "re" in renamed or module in {"re", "regex", "sre_compile"}:
                found.append(f"{path.relative_to(PACKAGE)}: {ast.unparse(node)}")
    return found


@functools.cache
def _sites(path: Path) -> tuple[Site, ...]:
    tree = _tree(path)
    calls = [node for node in _nodes(path) if isinstance(node, ast.Call) and _is_re(node.func)]
    if not calls:
        return ()
    inside = {
        id(node)
        for function in _nodes(path)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for statement in function.body
        for node in ast.walk(statement)
    }
    bound = {
        id(node.value): target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return tuple(
        Site(
            str(path.relative_to(PACKAGE)),
            call.lineno,
            function,
            bound.get(id(call), ""),
            _constant(call, function),
            id(call) in inside,
        )
        for call in calls
        for function in [call.func.attr]  # type: ignore[attr-defined]
    )


def _is_re(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr in _FUNCTIONS
    )


def _constant(call: ast.Call, function: str) -> tuple[str | bytes, int] | None:
    if not isinstance(call.args[0], ast.Constant):
        return None
    place = {"sub": 4, "subn": 4, "split": 3}.get(function, 1 if function == "compile" else 2)
    flags = [word.value for word in call.keywords if word.arg == "flags"] + call.args[place : place + 1]
    expression = ast.unparse(flags[0]) if flags else "0"
    return call.args[0].value, int(eval(expression, {"re": re}))  # type: ignore[return-value]


def _uses() -> dict[tuple[str, str], frozenset[str]]:
    """(file, name of a compiled pattern) -> the methods that are called on it there.

    Patterns in tables have no name: theirs are the methods called on anything else in that module.
    """
    uses: dict[tuple[str, str], frozenset[str]] = {}
    for path in sources():
        file = str(path.relative_to(PACKAGE))
        named = {site.name for site in _sites(path) if site.name} | {"re"}
        called: dict[str, set[str]] = {}
        mentions: Counter[str] = Counter()
        for node in _nodes(path):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                mentions[node.id] += 1
            elif isinstance(node, ast.Attribute) and node.attr in {*_COMPILED_USES, "pattern"}:
                owner = node.value.id if isinstance(node.value, ast.Name) else ""
                mentions[owner] -= 1
                called.setdefault(owner if owner in named else "", set()).add(node.attr)
        for name, methods in called.items():
            # A name that is also handed on, or that other modules may import, can be used in any way.
            is_known = not mentions[name] and name.startswith("_")
            used = methods & (_COMPILED_USES if name else _COMPILED_USES - {"split"})
            if (is_known or not name) and used:
                uses[file, name] = frozenset(used)
    return uses


def _made_by_import() -> dict[tuple[str, int], list[tuple[str | bytes, int]]]:
    """(file, line of the call) -> the patterns that it compiles while all modules are imported afresh."""
    made: dict[tuple[str, int], list[tuple[str | bytes, int]]] = {}
    calls = {
        (str(path.relative_to(PACKAGE)), line): node.lineno
        for path in sources()
        for node in _nodes(path)
        if isinstance(node, ast.Call) and _is_re(node.func)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)  # the interpreter may name any of them
    }
    genuine = re.compile

    def recording(pattern: Any, flags: Any = 0) -> re.Pattern[Any]:
        frame: FrameType | None = inspect.currentframe()
        caller = frame.f_back if frame else None
        compiled = genuine(pattern, flags)
        if caller and Path(caller.f_code.co_filename).is_relative_to(PACKAGE):
            file = str(Path(caller.f_code.co_filename).relative_to(PACKAGE))
            line = calls.get((file, caller.f_lineno), caller.f_lineno)
            made.setdefault((file, line), []).append((compiled.pattern, compiled.flags & ~re.UNICODE))
        return compiled

    re.compile = recording
    try:
        for path in sources():
            if any(not site.in_function for site in _sites(path)):
                parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
                importlib.import_module(".".join(part for part in parts if part != "__init__"))
    finally:
        re.compile = genuine
    return made
