"""A language that is not part of the product: `toy`, whose files hold one arithmetic expression per line.

It has a manifest, a runner, and tests that the gate can read. Run as a script, this file is reknit with that language.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from reknit.core.languages.language import Language
from reknit.core.languages.registry import LANGUAGES
from reknit.core.syntax import ParsedTest, ParsedTests
from reknit.core.testing.command import JUNIT, Files, TestCommand
from reknit.interfaces.cli.main import main

RUNNER = """\
import pathlib, sys
from xml.sax.saxutils import quoteattr

values = {}
for file in sorted(pathlib.Path("src").glob("*.lua")):
    for line in file.read_text().splitlines():
        name, _, expression = line.partition(" = ")
        values[name] = eval(expression, {}, dict(values))
cases, failed = [], 0
wanted = sys.argv[2:]
for file in sorted(pathlib.Path("tests").glob("test_*.lua")):
    for line in file.read_text().splitlines():
        name, _, check = line.partition(": ")
        if not wanted or f"{file.as_posix()}::{name}" in wanted:
            left, _, right = check.removeprefix("check ").partition(" == ")
            seen, expected = eval(left, {}, dict(values)), eval(right)
            message = f"<failure message={quoteattr(f'{left} is {seen}, not {expected}')}/>" if seen != expected else ""
            failed += bool(message)
            path = file.as_posix()
            cases.append(f'<testcase file="{path}" classname="{path}" name="{name}">{message}</testcase>')
pathlib.Path(sys.argv[1]).write_text(f"<testsuite>{''.join(cases)}</testsuite>")
sys.exit(bool(failed))
"""
"""The test runner of the language, as a program of the user's project."""
PROJECT = {
    "toy.json": "{}\n",
    "toytest.py": RUNNER,
    "src/price.lua": "price = 200\ndiscounted = price - 10\n",
    "tests/test_price.lua": "full: check price == 200\ndiscount: check discounted == 180\n",
}
"""A project with one bug."""
_PROGRAM = ("python3", "toytest.py")
_CHECK = re.compile(r"^(\w+): (check \S.*)?", re.M)


def _build_command(origin: str, env: tuple[tuple[str, str], ...] = ()) -> TestCommand:
    return TestCommand("toy", (*_PROGRAM, JUNIT), "junit", JUNIT, ("{id}",), origin, env)


def _find_commands(files: Files, _recognise: object) -> Iterator[TestCommand]:
    if "toy.json" in files:
        yield _build_command("toy.json")


def _parse_command(words: Sequence[str], origin: str, env: tuple[tuple[str, str], ...]) -> TestCommand | None:
    return _build_command(origin, env) if posixpath.basename(words[-1]) == _PROGRAM[-1] else None


def _read_tests(text: str, _lines: range | None) -> ParsedTests:
    tests = ParsedTests()
    for line in _CHECK.finditer(text):
        tests.add(ParsedTest(line[1], int(bool(line[2])), Counter(), 0, is_empty=not line[2]))
    return tests


READERS = {".lua": _read_tests}
LANGUAGE = Language(
    "toy",
    runners=("toy",),
    manifests=("toy.json",),
    find_commands=_find_commands,
    parse_command=_parse_command,
    endings=(".lua",),
    test_readers=f"{__name__}:READERS",
)

if __name__ == "__main__":
    LANGUAGES.append(LANGUAGE)
    main()
