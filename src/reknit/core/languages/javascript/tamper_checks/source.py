"""Reads a test file: its language, its tests with their titles, and names for files beside it."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reknit.core.syntax import Syntax, read_field
from reknit.core.tamper_checks.checks import TargetTest
from reknit.core.tamper_checks.syntax import Node, find_kind
from reknit.core.testing.reported import NESTED

TESTS = frozenset({"it", "test", "specify"})
SUITES = frozenset({"describe", "suite", "context"})
_FORMS = frozenset({"only", "concurrent", "sequential"})
_FUNCTIONS = ("arrow_function", "function_expression", "function")
_ESCAPES = {"\\'": "'", '\\"': '"', "\\`": "`", "\\\\": "\\", "\\n": "\n", "\\t": "\t"}


class RegisteredTest(NamedTuple):
    """A call that registers a test."""

    titles: tuple[str, ...]
    """Titles of the surrounding suites, then the test's own."""
    callee: str
    """The called function: `it`, `test.only`, `t.test`."""
    body: Node
    """Body of the test function: a block or an expression."""


def find_registered_tests(root: Node) -> Iterator[RegisteredTest]:
    """Yield the tests whose titles are all literals."""
    for call in find_kind(root, "call_expression"):
        if not _is_one_of(call, TESTS):
            continue
        body = _find_body(call)
        titles = find_titles(call)
        if body and titles:
            yield RegisteredTest(titles, read_field(call, "function"), body)


def find_titles(call: Node) -> tuple[str, ...]:
    """Return the titles of a test and its suites; empty if one of them is computed."""
    around = [node for node in call.ancestors() if node.kind() == "call_expression"]
    calls = [call, *(node for node in around if _is_one_of(node, TESTS | SUITES))]
    titles = [_read_title(suite) for suite in reversed(calls)]
    return tuple(title for title in titles if title is not None) if None not in titles else ()


def find_enclosing_test(node: Node) -> Node | None:
    """Return the outermost test around the node."""
    around = [
        ancestor
        for ancestor in node.ancestors()
        if ancestor.kind() == "call_expression" and _is_one_of(ancestor, TESTS)
    ]
    return around[-1] if around else None


def find_arguments(call: Node) -> Sequence[Node]:
    """Return the arguments of a call, without comments."""
    arguments = call.field("arguments")
    return [node for node in arguments.named_children() if node.kind() != "comment"] if arguments else []


def read_literal(node: Node) -> str | None:
    """Return the value of a string; None for any other node, and for a computed string."""
    if node.kind() not in ("string", "template_string"):
        return None
    parts = [
        _ESCAPES.get(part.text()) if part.kind() == "escape_sequence" else part.text()
        for part in [child for child in node.children() if child.kind() in ("string_fragment", "escape_sequence")]
    ]
    known_parts = [part for part in parts if part is not None]
    return "".join(known_parts) if len(known_parts) == len(parts) and not _is_computed(node) else None


def _is_computed(node: Node) -> bool:
    return any(child.kind() == "template_substitution" for child in node.children())


def _is_one_of(call: Node, names: frozenset[str]) -> bool:
    words = read_field(call, "function").split(".")
    while len(words) > 1 and words[-1] in _FORMS:
        words.pop()
    return words[-1] in names and len(words) <= 2 and all(word.isidentifier() for word in words)


def _read_title(call: Node) -> str | None:
    arguments = find_arguments(call)
    if arguments and arguments[0].kind() == "identifier":  # describe(Basket, () => …): the name of the class
        return arguments[0].text()
    return read_literal(arguments[0]) if arguments else None


def _find_body(call: Node) -> Node | None:
    functions = [node for node in find_arguments(call) if node.kind() in _FUNCTIONS]
    return functions[-1].field("body") if functions else None


_NAME_PART = re.compile(r"[._-]|[^._-]+")
_COLLECTED_PARTS = frozenset({"test", "tests", "spec", "specs", "unit", "e2e", "int", "integration", "node", "browser"})
_LANGUAGES: dict[str, Syntax] = {".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx"}


def name_test_file_beside(file: str, word: str) -> str:
    """Return a path that the runner collects too: `src/price.test.ts` -> `src/WORD.test.ts`."""
    folder, name = posixpath.split(file)
    stem, end = posixpath.splitext(name)
    parts = _NAME_PART.findall(stem)
    own = [at for at, part in enumerate(parts) if part not in _COLLECTED_PARTS and part not in "._-"]
    if not own:
        return posixpath.join(folder, f"{word}.{name}")
    stem = "".join((*parts[: own[0]], word, *parts[own[-1] + 1 :]))
    return posixpath.join(folder, stem + end)


def name_source_file_beside(file: str, word: str) -> str:
    """Return a path in the same folder that looks like any other source file."""
    return posixpath.join(posixpath.dirname(file), word + posixpath.splitext(file)[1])


def choose_language(file: str) -> Syntax:
    """Return the language of a file by its ending."""
    return _LANGUAGES.get(posixpath.splitext(file)[1], "javascript")


def title_separator(runner: str) -> str:
    """Return the separator of titles in an id; mocha's reports separate them by spaces."""
    return " " if runner == "mocha" else NESTED


def title_path(test: TargetTest) -> str | None:
    """Return the titles as one text; empty for a whole file, None for an id of another file."""
    file, _, name = test.id.partition("::")
    return name if file == test.file else None
