"""Finds the statement of a test that failed, what the test did before it, and what it asked the machine."""

import posixpath
import re
from dataclasses import dataclass

from reknit.core.causes import known_names
from reknit.core.causes.reading import Reading
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.evidence.frames import own_frame
from reknit.core.repository.paths import is_in_test_folder, is_test_file

_NUMBER = re.compile(r"(?::|\", line )(\d{1,6})")
_FUNCTION = re.compile(r"\s{0,12}(?:(?:async )?def |(?:test|it)\(|func |fn |(?:public )?void )")
_ONE_LINE = re.compile(r"\s{0,12}(?:async )?def \w{1,200}\([^()\n]{0,200}\)(?: -> \w+)?:(?=\s{1,9}\S)")
_FIXTURE = re.compile(r"\s{0,12}(?:async )?def \w{1,200}\((?!self\)|\))")
_CALL = re.compile(r"[\w\])](?<!environ\.get)(?<!getenv)(?<!which)\(")
_EXPECTED_ERROR = re.compile(r"\braises\(|assertRaises|\.(?:toThrow|rejects)|assert\.(?:throws|rejects)|assertThrows")
_FOLDERS = re.compile(r"tmp_path|tmpdir|mkdtemp|TemporaryDirectory|TempDir")
_QUESTION = re.compile(
    r"\bwhich\(['\"](?P<program>[\w.+-]{1,60})['\"]\)|process\.env\.(?P<key>[A-Z]\w{1,60})"
    r"|(?:[gG]etenv|environ\.get|env::var)\(['\"](?P<variable>\w{1,60})['\"]\)|(?P<zone>time\.(?:tzname|timezone))\b"
)
_NONE_FIRST = re.compile(r"\bassert None\b|unexpectedly None|evaluated to a falsy value")
_NO_ANSWER = re.compile(r"NoneType|\bNone\b|\bundefined\b|\bnull\b|NotPresent")
_VARIABLE = re.compile(r"\s{0,40}(?:const |let |var |String )?(\w{1,60}) ?(?::[^=\n]{0,60})?= ")
_CHECK = re.compile(r"\s{0,40}(?:assert(?:\.ok)?!?\(? ?|self\.assert\w{2,20}\(|expect\()")
_MODULE = re.compile(r"(?:os|shutil|env|System|std::env|std)(?:\.|::)$")


@dataclass(frozen=True)
class FailingLines:
    before: tuple[str, ...] = ()
    """The lines of the test's function, its head first."""
    statement: str = ""
    """Empty if the test's text or the place in it is not known."""
    is_last: bool = False
    """No product code ran below it: the test itself, or what is installed, failed."""

    def acts_before(self, line: int) -> bool:
        """Tell whether a call or a fixture may have changed what this line reads."""
        return any(map(_FIXTURE.match, self.before[:1])) or any(map(_CALL.search, self.before[1:line]))

    @property
    def text(self) -> str:
        return "\n".join((*self.before, self.statement))

    def may_blame_product(self, kind: str) -> bool:
        """Tell whether product code may have raised the wrong error, or ignored what the test gave it."""
        if not self.is_last and _EXPECTED_ERROR.search(self.text):
            return True
        if self.is_last:
            return kind == "variable" and self.acts_before(len(self.before))
        is_file = kind in ("host-file", "permission") and _FOLDERS.search(self.text)
        return bool(is_file or any(word in self.text for word in known_names.MOCKS))

    def unanswered(self, reading: Reading) -> str:
        """Return, as a shell would say it, what the test itself asked the machine for in vain; empty: nothing."""
        for index, line in enumerate((*self.before, self.statement) if self.is_last else ()):
            question, variable = _QUESTION.search(line), _VARIABLE.match(line)
            answer = question[0] if index == len(self.before) and question else variable[1] if variable else ""
            if not question or not answer or self.acts_before(index) or not self._fails_for(answer, reading):
                continue
            if question["zone"]:
                return "another time zone"
            name = question["variable"] or question["key"]
            return f"environment variable {name}" if name else f"{question['program']}: command not found"
        return ""

    def _fails_for(self, answer: str, reading: Reading) -> bool:
        """Tell whether this very answer is missing or not the expected one, and not what product code made of it."""
        head, found, tail = self.statement.partition(answer)
        start = _MODULE.sub("", head)
        if not found or head[-1:].isidentifier() or tail[:1].isidentifier():
            return False
        if reading.is_assertion:
            is_missing = _NONE_FIRST.search(reading.words) or (answer.startswith("time.") and not _CALL.search(tail))
            return bool(is_missing and _CHECK.fullmatch(start))
        is_subject = tail[:1] in (".", "[", "?") or start.endswith(("int(", "len(", "float(", "Path("))
        return bool(_NO_ANSWER.search(reading.words)) and (is_subject or reading.raised == "foreign")


def find_failing_lines(reading: Reading, facts: TreeFacts) -> FailingLines:
    deepest = own_frame(reading.text.splitlines())
    own = next((path for path in facts.texts if deepest and _is_test(path) and _is_same(path, deepest.path)), "")
    after = reading.text.split(reading.file)[:0:-1] if reading.file else []
    below = next((match[1] for text in after if (match := _NUMBER.match(text))), "0")
    number = int(deepest.line if deepest and own else below)
    lines = facts.texts.get(own or reading.file, "").splitlines()
    if not 0 < number <= len(lines):
        return FailingLines()
    start = next((index for index in reversed(range(number)) if _FUNCTION.match(lines[index])), 0)
    end = number + 1 if lines[number - 1].endswith("(") else number  # the first argument is in the next line
    before, statement = (*lines[start : number - 1],), "".join(lines[number - 1 : end])
    if head := _ONE_LINE.match(statement):
        before, statement = (head[0],), statement[head.end() :]
    return FailingLines(before, statement, bool(own))


def _is_test(path: str) -> bool:
    return is_test_file(path) or is_in_test_folder(path) or posixpath.basename(path) == "conftest.py"


def _is_same(path: str, frame: str) -> bool:
    return f"/{frame}".endswith(f"/{path}") or path.endswith(f"/{frame}")
