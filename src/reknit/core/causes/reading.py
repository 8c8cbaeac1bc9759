"""Reads a failure message: the deciding words, the accompanying words, and the place that raised it."""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reknit.core.causes import known_names
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.evidence.failure_groups import find_headline, find_own_frame
from reknit.core.repository.paths import is_in_test_folder, is_test_file

MAX_MESSAGE_CHARS = 6_000
_MAX_BLOCK_LINES = 14
_ASSERTION = re.compile(
    r"(?:E\s{1,8})?(?:failed on (?:setup|teardown) with \")?(?:\w{1,60}\.){0,4}"
    r"(?:AssertionError|AssertionFailedError|ComparisonFailure|Failed(?!: Timeout)|ExpectationError)\b"
    r"|(?:E\s{1,8})?assert |expect\("
)
_PYTHON_FRAME = re.compile(
    r"(?:\s{0,8}File \"([^\"\n]{1,400})\", line \d|(\S{1,400}):\d{1,7}: (?:in |[A-Z]\w{0,60}\s*$))"
)
_JS_FRAME = re.compile(r"\s{1,12}(?:at|❯) ")
_MACHINERY = re.compile(r"<frozen importlib|/importlib/|importlib/__init__\.py|_pytest/|/pluggy/|<string>")
_FOREIGN = re.compile(r"site-packages|dist-packages|node_modules|/lib/python\d|<frozen|node:")
_PACKAGE = re.compile(r"site-packages|dist-packages|node_modules|\.cargo/registry|/go/pkg/mod/|/gems/")
_DIRECT_CAUSE = ("The above exception was the direct cause", "Caused by:", "[cause]:", "caused by:")
_UNITTEST_WRAPPER = re.compile(r"\AImportError: Failed to import test module: [^\n]{1,400}\n")
"""Heading of unittest; the traceback of the real error follows it."""
_HANDLING = "During handling of the above exception"
_PYTHON = re.compile(r"python(\d)\.(\d{1,2})")
_HOST = re.compile(
    r"(?:https?|wss?|postgres(?:ql)?|mysql|redis|amqps?|mongodb(?:\+srv)?"
    r"|ftp)://(?:[^\s/@'\"]{1,100}@)?(\[[0-9a-fA-F:]{2,40}\]|[\w.-]{1,200})(?::(\d{1,5}))?"
    r"|host='([\w.-]{1,200})', port=(\d{1,5})|\(['\"]([\w.-]{1,200})['\"], {0,2}(\d{1,5})\)"
    r"|\b(?:host|lookup|ENOTFOUND|EAI_AGAIN|resolve|address"
    r"|hostname)[:=]? {0,2}['\"]?([A-Za-z0-9][\w-]{0,60}(?:\.[\w-]{1,60})+|localhost)(?::(\d{1,5}))?"
    r"|(?<![\w.:])(localhost|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1):(\d{1,5})\b"
)
Place = Literal["own", "foreign", "unknown"]
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
class Reading:
    """A failure message, split into the parts that the rules look at."""

    words: str
    """The deciding words: the exception that ended the test, and its direct causes."""
    text: str
    """The whole message."""
    is_assertion: bool
    frame: str
    """The place that raised the exception; empty if no frame names one."""
    file: str = ""
    """The test's file."""

    @property
    def origin(self) -> Place:
        return ("foreign" if _FOREIGN.search(self.frame) else "own") if self.frame else "unknown"

    @property
    def is_in_package(self) -> bool:
        return bool(_PACKAGE.search(self.frame))

    @property
    def python_version(self) -> tuple[int, int]:
        """Return the version of Python that ran, if a path names it; else (0, 0)."""
        match = _PYTHON.search(self.text)
        return (int(match[1]), int(match[2])) if match else (0, 0)

    def find_hosts(self) -> list[tuple[str, str]]:
        """Return (host, port) of each text that looks like an address, the deciding words first."""
        addresses = [
            (next((part for part in match[0::2] if part), ""), next((part for part in match[1::2] if part), ""))
            for text in (self.words, self.text)
            for match in _HOST.findall(text)
        ]
        return list(dict.fromkeys(pair for pair in addresses if pair[0]))


def read_message(message: str, file: str = "") -> Reading:
    """Split a failure message into its parts. `file`: the file of the test."""
    message = _UNITTEST_WRAPPER.sub("", message, count=1)
    text = (
        message
        if len(message) <= MAX_MESSAGE_CHARS
        else message[: MAX_MESSAGE_CHARS // 3] + "\n" + message[-2 * MAX_MESSAGE_CHARS // 3 :]
    )
    lines = text.splitlines()
    headline = lines[find_headline(lines)] if lines else ""
    blocks = [headline, *_collect_message_lines(lines), *_collect_last_marked(lines), *_collect_direct_causes(lines)]
    words = "\n".join(dict.fromkeys(line.strip() for line in blocks if line.strip()))
    return Reading(words, text, bool(_ASSERTION.match(headline.strip())), _find_raising_frame(lines), file)


def _collect_message_lines(lines: Sequence[str]) -> list[str]:
    """Return the rest of a message of several lines, up to the first frame or source line."""
    block: list[str] = []
    for line in lines[find_headline(lines) + 1 :][:_MAX_BLOCK_LINES]:
        if _JS_FRAME.match(line) or _PYTHON_FRAME.match(line) or line.startswith((">", "E ", "    ", "…", "self = ")):
            break
        block.append(line)
    return block


def _collect_last_marked(lines: Sequence[str]) -> list[str]:
    """Return the last block of lines that pytest marks with `E`: the exception that ended the test."""
    marked = [index for index, line in enumerate(lines) if line.startswith("E ")]
    if not marked:
        return []
    block = [marked[-1]]
    while block[-1] - 1 in marked:
        block.append(block[-1] - 1)
    return [lines[index][1:] for index in reversed(block)][:_MAX_BLOCK_LINES]


def _collect_direct_causes(lines: Sequence[str]) -> list[str]:
    """Return the exceptions after `raise … from`, without those that merely came before."""
    causes: list[str] = []
    for index, line in enumerate(lines):
        if not any(words in line for words in _DIRECT_CAUSE):
            continue
        causes.append(line)
        if "direct cause" in line:
            before = [line for line in lines[:index] if line.startswith("E ") or _is_thrown(line)]
            causes += [line.removeprefix("E ").strip() for line in before[-3:]]
    return causes


def _is_thrown(line: str) -> bool:
    name = line.partition(":")[0]
    return name.endswith(("Error", "Exception", "gaierror", "timeout")) and " " not in name.strip()


def has_earlier_exception(reading: Reading) -> bool:
    """Return True if the exception was raised while another one was handled."""
    return _HANDLING in reading.text


def _find_raising_frame(lines: Sequence[str]) -> str:
    places = [match[1] or match[2] for line in lines if (match := _PYTHON_FRAME.match(line[:500]))]
    if not places:  # the others name the innermost frame first
        return next((line.strip()[:500] for line in lines if _JS_FRAME.match(line)), "")
    return next((place for place in reversed(places) if not _MACHINERY.search(place)), "")


@dataclass(frozen=True)
class FailingLines:
    """The lines of the test's function, up to the statement that failed."""

    before: tuple[str, ...] = ()
    """The lines of the test's function, its head first."""
    statement: str = ""
    """The failing statement; empty if the test's text or the place in it is not known."""
    is_last: bool = False
    """True if no product code ran below it: the test itself, or an installed package, failed."""

    def acts_before(self, line: int) -> bool:
        """Return True if a call or a fixture may have changed the value that this line reads."""
        return any(map(_FIXTURE.match, self.before[:1])) or any(map(_CALL.search, self.before[1:line]))

    @property
    def text(self) -> str:
        return "\n".join((*self.before, self.statement))

    def may_blame_product(self, kind: str) -> bool:
        """Return True if product code may have raised the wrong error, or ignored the test's input."""
        if not self.is_last and _EXPECTED_ERROR.search(self.text):
            return True
        if self.is_last:
            return kind == "variable" and self.acts_before(len(self.before))
        is_file = kind in ("host-file", "permission") and _FOLDERS.search(self.text)
        return bool(is_file or any(word in self.text for word in known_names.MOCKS))

    def find_unanswered_question(self, reading: Reading) -> str:
        """Return, in the words of a shell, a failed question of the test to the machine."""
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
        """Return True if this answer itself is missing or unexpected, and product code did not change it."""
        head, separator, tail = self.statement.partition(answer)
        start = _MODULE.sub("", head)
        if not separator or head[-1:].isidentifier() or tail[:1].isidentifier():
            return False
        if reading.is_assertion:
            is_missing = _NONE_FIRST.search(reading.words) or (answer.startswith("time.") and not _CALL.search(tail))
            return bool(is_missing and _CHECK.fullmatch(start))
        is_subject = tail[:1] in (".", "[", "?") or start.endswith(("int(", "len(", "float(", "Path("))
        return bool(_NO_ANSWER.search(reading.words)) and (is_subject or reading.origin == "foreign")


def find_failing_lines(reading: Reading, facts: TreeFacts) -> FailingLines:
    """Return the lines of the test that failed; empty if the place is not known."""
    deepest = find_own_frame(reading.text.splitlines())
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
