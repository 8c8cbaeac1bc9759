"""Finds the statement of a test that failed, and what the test did before it."""

import posixpath
import re
from dataclasses import dataclass

from reknit.core.causes.reading import Reading
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.evidence.frames import own_frame
from reknit.core.repository.paths import is_in_test_folder, is_test_file

_NUMBER = re.compile(r"(?::|\", line )(\d{1,6})")
_FUNCTION = re.compile(r"\s{0,12}(?:(?:async )?def |(?:test|it)\(|func |fn |(?:public )?void )")
_CALL = re.compile(r"[\w\])](?<!environ\.get)(?<!getenv)(?<!which)\(")
_FIXTURE = re.compile(r"\s{0,12}(?:async )?def \w{1,200}\((?!self\)|\))")
_PREPARES_FILES = re.compile(r"tmp_path|tmpdir|mkdtemp|TemporaryDirectory|t\.TempDir|TempDir")
_REPLACES = re.compile(
    r"monkeypatch|\bmock|patch[.(]|stubEnv|t\.Setenv|environ\[[^\]\n]{1,100}\] ?=|process\.env\.\w{1,60} ?="
)
_LONGEST_STATEMENT = 6


@dataclass(frozen=True)
class TestLines:
    __test__ = False
    before: tuple[str, ...] = ()
    """The lines of the test's function, its head first."""
    statement: str = ""
    """Empty if the test's text or the place in it is not known."""
    is_last: bool = False
    """No product code ran below it: the test itself, or what is installed, failed."""

    @property
    def text(self) -> str:
        return "\n".join([*self.before, self.statement])

    def acts_before(self, line: int) -> bool:
        """Tell whether anything that the test started may have changed what this line reads."""
        return any(map(_FIXTURE.match, self.before[:1])) or any(map(_CALL.search, self.before[1:line]))

    def prepares(self, kind: str) -> bool:
        """Tell whether the test gives product code other surroundings, which that code may have ignored."""
        is_file = kind in ("host-file", "permission")
        return bool(_REPLACES.search(self.text) or (is_file and _PREPARES_FILES.search(self.text)))


def lines_of_test(reading: Reading, facts: TreeFacts) -> TestLines:
    deepest = own_frame(reading.text.splitlines())
    own = next((path for path in facts.texts if deepest and _is_test(path) and _is_same(path, deepest.path)), "")
    path, number = own or reading.file, int(deepest.line) if deepest and own else _number(reading)
    lines = facts.texts.get(path, "").splitlines()
    if not 0 < number <= len(lines):
        return TestLines()
    start = next((index for index in reversed(range(number)) if _FUNCTION.match(lines[index])), 0)
    end = number
    while end < min(number + _LONGEST_STATEMENT, len(lines)) and _is_open("\n".join(lines[number - 1 : end])):
        end += 1
    return TestLines((*lines[start : number - 1],), "\n".join(lines[number - 1 : end]), bool(own))


def _is_test(path: str) -> bool:
    return is_test_file(path) or is_in_test_folder(path) or posixpath.basename(path) == "conftest.py"


def _is_same(path: str, frame: str) -> bool:
    return f"/{frame}".endswith(f"/{path}") or path.endswith(f"/{frame}")


def _number(reading: Reading) -> int:
    """Return the line in the test's file below which product code failed."""
    after = reading.text.split(reading.file)[:0:-1] if reading.file else []
    return next((int(match[1]) for text in after if (match := _NUMBER.match(text))), 0)


def _is_open(text: str) -> bool:
    return text.count("(") > text.count(")")
