"""Reads JUnit reports: test cases as a stream, test ids as the runner writes them, and failure messages."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from reknit.core.testing.report import TestResult
from reknit.core.testing.reported import ReportedTests
from reknit.core.text.redact import clean, redact
from reknit.core.text.untrusted_input import Data, XmlError, feed_parser, make_parser

MAX_MESSAGE_CHARS = 4_000_000
"""Maximum length of one case's message in characters; the rest is dropped."""
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
OUTPUT_CHARS = 4000
MESSAGE_CHARS = 2000
_FRAME = re.compile(r"(?:\s{0,8}File \"([^\"\n]{1,300})\", line \d|([^\s:]{1,300}\.py):\d{1,7}: (in )?)")
_FOREIGN = re.compile(r"-packages/|/lib/python\d|<frozen")


class Case(NamedTuple):
    """One test case of a JUnit report."""

    suite: str
    attributes: Mapping[str, str]
    result: TestResult
    message: str
    """The failure message in full; empty if the case did not fail."""


class Cases:
    """The test cases of a report. Iterate once; afterwards `has_cases` tells if there were any.

    With `failures_only`, other cases are skipped: their end tags are not handled and no `Case` is built, which is
    faster. A failure then belongs to the case that began last.
    """

    def __init__(self, data: Data, *, failures_only: bool) -> None:
        self.has_cases = False
        self._data = data
        self._failures_only = failures_only
        self._finished_cases: list[Case] = []
        self._suite = ""
        self._case: dict[str, str] | None = None
        self._result: TestResult = "passed"
        self._texts: list[str] = []
        self._size = 0

    def __iter__(self) -> Iterator[Case]:
        """Yield each case; raise XmlError for a broken report."""
        self._parser = make_parser()
        self._parser.StartElementHandler = self._start_root
        self._parser.EndElementHandler = None if self._failures_only else self._end
        for _ in feed_parser(self._parser, self._data):
            yield from self._finished_cases
            self._finished_cases.clear()

    def _start_root(self, name: str, attributes: dict[str, str]) -> None:
        if name not in ("testsuites", "testsuite"):
            raise XmlError(f"is not a JUnit report: it begins with <{name[:40]}>")
        self._parser.StartElementHandler = self._start_before_cases
        self._start_before_cases(name, attributes)

    def _start_before_cases(self, name: str, attributes: dict[str, str]) -> None:
        if name == "testcase":
            self.has_cases = True
            self._parser.StartElementHandler = self._start_next_case if self._failures_only else self._start
        self._start(name, attributes)

    def _start_next_case(self, name: str, attributes: dict[str, str]) -> None:
        """Handle the start of a case. It is the only handler that a passing test calls."""
        if name == "testcase":
            self._case = attributes
        else:
            self._start(name, attributes)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "testcase":
            if self._result != "passed":
                self._reset_case()
            self._case = attributes
        elif name == "testsuite":
            self._suite = attributes.get("name", "")
        elif self._case is not None:
            self._start_inside_case(name, attributes)

    def _start_inside_case(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in ("failure", "error"):
            self._result = "failed"
            self._texts += [attributes.get("message", ""), "\n"]
            self._parser.CharacterDataHandler = self._add_text  # only set here, so that passing tests cost no call
            self._parser.StartElementHandler, self._parser.EndElementHandler = self._start, self._end
        elif name == "skipped" and self._result == "passed" and not self._failures_only:
            self._result = "skipped"

    def _add_text(self, text: str) -> None:
        self._texts.append(text[: max(MAX_MESSAGE_CHARS - self._size, 0)])
        self._size += len(text)

    def _end(self, name: str) -> None:
        if name in ("failure", "error"):
            self._parser.CharacterDataHandler = None
            self._texts.append("\n")
        elif name == "testcase" and self._case is not None:
            self._finished_cases.append(Case(self._suite, self._case, self._result, "".join(self._texts).strip()))
            self._reset_case()

    def _reset_case(self) -> None:
        self._case, self._result, self._size = None, "passed", 0
        self._texts.clear()
        if self._failures_only:
            self._parser.StartElementHandler, self._parser.EndElementHandler = self._start_next_case, None


def parse_junit(documents: Iterable[bytes]) -> ReportedTests:
    """Read all documents together. Raise ValueError for one that is not a complete JUnit report."""
    reported = ReportedTests()
    for document in documents:
        try:
            for case in Cases(document, failures_only=False):
                add_case(case, reported)
        except XmlError as problem:
            raise ValueError(f"the test report {problem}") from problem
    return reported


def add_case(case: Case, reported: ReportedTests) -> None:
    """Add the case to the tests. Raise XmlError if it has no name."""
    test, file = identify_test(case)
    if not test:
        raise XmlError("contains a test case without a name")
    reported.add(test, case.result, put_headline_first(case.message), file=file)


def put_headline_first(words: str) -> str:
    """Put the reason why a file cannot be loaded first, since people read the first line."""
    if not words.startswith("collection failure"):
        return words
    reasons = [line[1:].strip() for line in words.splitlines() if line.startswith("E ")]
    return "\n".join([*reasons[-1:], words])


def identify_test(case: Case) -> tuple[str, str]:
    """Return the id that the runner itself would use, and the file if it is known."""
    attributes = case.attributes
    group, name, file = attributes.get("classname", ""), attributes.get("name", ""), attributes.get("file", "")
    if case.suite == "pytest" or file.endswith(".py"):
        return _build_pytest_id(group, name, file)
    if _SCRIPT.search(group):
        file = file or group
        name = "" if name == group else name  # vitest: the file could not be loaded
    return "::".join(filter(None, (group or file, name))), file


def _build_pytest_id(group: str, name: str, file: str) -> tuple[str, str]:
    if not group:  # a file that could not be collected
        path = file or name.replace(".", "/") + ".py"
        return path, path
    module = file.removesuffix(".py").replace("/", ".")
    if file and (group == module or group.startswith(module + ".")):
        classes = group[len(module) + 1 :]
    else:  # the test is inherited from another file, or the report names none: classes are capitalized
        parts = group.split(".")
        length = next((number for number, part in enumerate(parts) if part[:1].isupper()), len(parts))
        file, classes = "/".join(parts[:length]) + ".py" if length else "", ".".join(parts[length:])
    return "::".join(filter(None, (file, *classes.split("."), name))), file


def read_junit(documents: tuple[bytes, ...]) -> ReportedTests:
    """Read the documents with shortened messages. Raise ValueError for an incomplete JUnit report."""
    return shorten_messages(parse_junit(documents))


def shorten_messages(reported: ReportedTests) -> ReportedTests:
    """Return the tests with each message as it is stored: without secrets, and shortened."""
    return replace(reported, messages={test: shorten_message(words) for test, words in reported.messages.items()})


def shorten_message(words: str) -> str:
    """Return the first line and the end of a message: they show the assertion and its location.

    Between them are the calls in the project's own code: they show the arguments of a library call, such as a host.
    """
    text = redact_output(words)
    if len(text) <= MESSAGE_CHARS:
        return text
    first = text.partition("\n")[0][: MESSAGE_CHARS // 4]
    calls = _collect_own_calls(text[len(first) : -(MESSAGE_CHARS - len(first))])[-MESSAGE_CHARS // 4 :]
    between = f"\n…\n{calls}\n…\n" if calls else "\n…\n"
    return f"{first}{between}{text[-(MESSAGE_CHARS - len(first) - len(calls)) :]}"


def _collect_own_calls(text: str) -> str:
    """Return each Python frame outside libraries, with its line of code."""
    lines_of_calls: list[str] = []
    marked_line = ""
    lines = text.splitlines()
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith(">"):
            marked_line = line
        match = _FRAME.match(line[:400])
        if match and not _FOREIGN.search(match[1] or match[2]):
            # In its first and last frame, pytest prints the code above the location; in other frames below it.
            lines_of_calls += [marked_line, line] if match[2] and not match[3] else [line, below]
    return "\n".join(lines_of_calls)


def redact_output(text: str) -> str:
    """Return the text without secrets, and shortened. Cut it only afterwards: half of a secret is not recognised."""
    head, tail = text[:OUTPUT_CHARS], text[-20 * OUTPUT_CHARS :]
    return redact(clean(tail if len(text) <= 20 * OUTPUT_CHARS else f"{head}\n…\n{tail}"))
