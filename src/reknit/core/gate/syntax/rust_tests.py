"""The tests inside one Rust source file: Rust keeps them next to the code, where no path protects them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from reknit.core.gate.syntax.trees import tree_of

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_TEST_MARK = re.compile(r"#\[\s*(?:\w+\s*::\s*)*(?:test|rstest|test_case)\b(?!\s*::)")
_IN_A_MACRO = re.compile(
    r"#\[(?:\w+::)*test(?:\([^\]]{0,200}\))?\]\s*+(?:#\[[^\]]{0,200}\]\s*+){0,8}(?:pub\s+)?(?:async\s+)?fn\s+(\w+)"
)
_IGNORED = re.compile(r"#\[\s*(?:ignore|should_panic)\b")
_FOR_TESTS = re.compile(r"#\[\s*cfg\s*\([^\]]{0,100}\btest\b")
_CONDITION = re.compile(r"#!?\[\s*cfg(?:_attr)?\s*\(")
_ITEM = re.compile(r"\b(?:fn|struct|enum|type|const|static|trait|mod|macro_rules\s*!)\s+(\w+)")
_USED = re.compile(r"\buse\s++([^;]{1,300}+);")
_LAST_WORD = re.compile(r"\b([a-zA-Z_]\w*)\b(?!\s*(?:::|\bas\b))")
_MARKS = frozenset({"attribute_item", "inner_attribute_item"})


@dataclass(frozen=True)
class RustTest:
    name: str
    text: str
    """With its attributes; spaces and line ends are one space."""
    around: tuple[str, ...]
    """Every condition and macro that it is in, outermost last."""
    is_ignored: bool


@dataclass(frozen=True)
class RustFile:
    tests: tuple[RustTest, ...]
    modules: tuple[str, ...]
    """The text of every module that is compiled for tests only, with its attributes."""
    macros: tuple[str, ...]
    """Macros that the file defines."""


def removed(before: str, after: str) -> list[str]:
    """Names of the tests that are gone: also into a comment or a string."""
    names = (Counter(test.name for test in _read(text).tests) for text in (before, after))
    old, new = names
    return sorted((old - new).elements())


def ignored(before: str, after: str) -> int:
    """Number of added attributes that skip or invert a test."""
    old, new = (sum(test.is_ignored for test in _read(text).tests) for text in (before, after))
    return max(0, new - old)


def conditions(before: str, after: str) -> list[str]:
    """Added attributes that compile tests only conditionally, and macros that tests were put into."""
    old, new = (
        Counter((test.name, mark) for test in _read(text).tests for mark in test.around) for text in (before, after)
    )
    there = {test.name for test in _read(before).tests}
    return sorted({mark for name, mark in new - old if name in there and mark != "#[cfg(test)]"})


def lost_lines(before: str, after: str) -> int:
    """Number of lines of its test modules that are gone or changed."""
    return (_module_lines(before) - _module_lines(after)).total()


def changed(before: str, after: str) -> list[str]:
    """Names of the tests that are no longer identical: even one added line can be an early `return`."""
    old, new = (Counter((test.name, test.text) for test in _read(text).tests) for text in (before, after))
    still_there = {test.name for test in _read(after).tests}
    return sorted({name for name, _text in old - new if name in still_there})


def redefined(before: str, after: str) -> list[str]:
    """Names that the tests used before and that their module now defines anew, or a macro of the file."""
    old, new = _read(before), _read(after)
    used = set(re.findall(r"\w+", "\n".join((*old.modules, *(test.text for test in old.tests)))))
    inside = Counter(_defined("\n".join(new.modules))) - Counter(_defined("\n".join(old.modules)))
    return sorted((set(inside) | (set(new.macros) - set(old.macros))) & used)


@lru_cache(maxsize=4)  # three rules need it
def _read(text: str) -> RustFile:
    root = tree_of(text, "rust")
    tests = [*_functions(root), *_in_macros(root)]
    modules = [_with_marks(module) for module in root.find_all(kind="mod_item") if _is_for_tests(module)]
    return RustFile(tuple(tests), tuple(modules), tuple(_macros(root)))


def _functions(root: SgNode) -> Iterator[RustTest]:
    for function in root.find_all(kind="function_item"):
        marks, name = _marks(function), function.field("name")
        if name is not None and any(map(_TEST_MARK.match, marks)):
            text = " ".join(_with_marks(function).split())
            yield RustTest(name.text(), text, tuple(_around(function, marks)), any(map(_IGNORED.match, marks)))


def _in_macros(root: SgNode) -> Iterator[RustTest]:
    """Whether a macro makes a test of it only the compiler knows; it stays what it was."""
    for macro in root.find_all(kind="macro_invocation"):
        text = macro.text()
        for match in _IN_A_MACRO.finditer(text) if "test" in text else ():
            inside = " ".join(text.split())
            yield RustTest(match[1], inside, (f"{_name(macro)}!", *_around(macro, ())), "#[ignore" in match[0])


def _around(node: SgNode, marks: tuple[str, ...]) -> Iterator[str]:
    yield from (mark for mark in marks if _CONDITION.match(mark))
    for outer in node.ancestors():
        inner = [child.text() for child in outer.children() if child.kind() == "inner_attribute_item"]
        yield from (mark for mark in (*inner, *_marks(outer)) if _CONDITION.match(mark))


def _marks(node: SgNode) -> tuple[str, ...]:
    """Its attributes; comments may stand between them."""
    marks = []
    for before in node.prev_all():
        if before.kind() == "attribute_item":
            marks.append(before.text())
        elif "comment" not in before.kind():
            break
    return tuple(marks)


def _with_marks(node: SgNode) -> str:
    return "\n".join((*reversed(_marks(node)), node.text()))


def _is_for_tests(module: SgNode) -> bool:
    return any(map(_FOR_TESTS.match, _marks(module)))


def _macros(root: SgNode) -> Iterator[str]:
    for macro in root.find_all(kind="macro_definition"):
        yield _name(macro)
    for macro in root.find_all(kind="macro_invocation"):
        if _name(macro) == "macro_rules":  # a comment before its name keeps the parser from seeing a definition
            yield from (child.text() for child in macro.children() if child.kind() == "ERROR")


def _name(node: SgNode) -> str:
    name = node.field("name") or node.field("macro")
    return name.text() if name else ""


def _module_lines(text: str) -> Counter[str]:
    lines = (line.strip() for module in _read(text).modules for line in module.splitlines())
    return Counter(line for line in lines if line not in ("", "{", "}"))


def _defined(text: str) -> Iterator[str]:
    yield from _ITEM.findall(text)
    for used in _USED.findall(text):
        yield from _LAST_WORD.findall(used)
