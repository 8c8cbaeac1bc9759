"""Copies of a project's test files that must fail: all that can be asked of a command judged by its exit code."""

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence

from reknit.core.repository.paths import is_test_file
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.runs import MOST_FILES

_GO_PACKAGE = re.compile(r"^package \w{1,100}", re.MULTILINE)
_JAVA_MAIN = re.compile(r"static void main\([^{]{0,200}\{")
_BRACE = re.compile(r"[{}]")


def canary_places(tracked: Sequence[str], started: Sequence[str]) -> tuple[str, ...]:
    """Files that the command starts, then test files; those at the top first, since a command reaches them sooner."""
    tests = sorted(filter(is_test_file, tracked), key=lambda path: (path.count("/"), path))
    known = (path for path in (*started, *tests) if posixpath.splitext(path)[1] in _FAILING)
    return tuple(dict.fromkeys(known))[:MOST_FILES]


def failing_copies(files: Mapping[str, str], names: Names) -> dict[str, str]:
    """Return path -> its text with a failure at its end, so that what it tests is loaded before."""
    return {
        path: failing
        for path, text in files.items()
        if (failing := _FAILING[posixpath.splitext(path)[1]](text, names)) != text
    }


def unreadable_copy(names: Names) -> str:
    """Return a text that no language accepts: a command that passes with it does not read the file at all."""
    return f"{names.word('canary')} ((( '\n"


def _python(text: str, names: Names) -> str:
    return f'{text}\n\nraise AssertionError("{names.word("canary")}")\n'


def _javascript(text: str, names: Names) -> str:
    return f'{text}\n;throw new Error("{names.word("canary")}");\n'


def _go(text: str, names: Names) -> str:
    """Without an import: a panic fails the test binary."""
    if not _GO_PACKAGE.search(text):
        return text
    return f'{text}\nfunc init() {{ panic("{names.word("canary")}") }}\n'


def _rust(text: str, names: Names) -> str:
    word = names.word("canary")
    return f'{text}\n#[test]\nfn {word}() {{\n    panic!("{word}");\n}}\n'


def _ruby(text: str, names: Names) -> str:
    return f'{text}\nraise "{names.word("canary")}"\n'


def _shell(text: str, names: Names) -> str:
    return f"{text}\necho {names.word('canary')} >&2\nexit 1\n"


def _java(text: str, names: Names) -> str:
    """At the end of `main`, before it says how the program ends; without one, in a static block of the class."""
    failure = f'if (true) throw new AssertionError("{names.word("canary")}");'
    if place := _end_of_main(text):
        return f"{text[:place]}{failure} {text[place:]}"
    end = text.rfind("}")
    return f"{text[:end]}    static {{ {failure} }}\n{text[end:]}" if end >= 0 else text


def _end_of_main(text: str) -> int:
    """0: there is none."""
    found = _JAVA_MAIN.search(text)
    depth = 1
    for brace in _BRACE.finditer(text, found.end()) if found else ():
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            body = text[: brace.start()]
            last = body.rfind("System.exit(")
            is_last = last >= 0 and "}" not in body[last:] and body[last:].count(";") == 1
            return last if is_last else brace.start()
    return 0


_FAILING: Mapping[str, Callable[[str, Names], str]] = {
    ".py": _python,
    **dict.fromkeys((".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx"), _javascript),
    ".go": _go,
    ".rs": _rust,
    ".rb": _ruby,
    **dict.fromkeys((".sh", ".bash"), _shell),
    ".java": _java,
}
