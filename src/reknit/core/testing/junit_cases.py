"""The test cases of a JUnit report as a stream: which passed, failed or were skipped, and the failure messages."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from reknit.core.testing.report import TestResult
from reknit.core.text.xml_stream import Data, XmlProblem, feed, new_parser

LONGEST_WORDS = 4_000_000
"""Characters per case; the rest is dropped."""


class Case(NamedTuple):
    suite: str
    attributes: Mapping[str, str]
    result: TestResult
    words: str
    """The message of a failure, in full."""


class Cases:
    """Iterate once; afterwards `any_seen` says whether there were any.

    With `failures_only`, nothing is built for the other cases, and not even their end tags are handled: a failure
    then belongs to the case before it if the end tag of that case comes before anything else can.
    """

    def __init__(self, data: Data, *, failures_only: bool) -> None:
        self.any_seen = False
        self._data = data
        self._failures_only = failures_only
        self._kept: list[Case] = []
        self._suite = ""
        self._case: dict[str, str] | None = None
        self._result: TestResult = "passed"
        self._words: list[str] = []
        self._size = 0

    def __iter__(self) -> Iterator[Case]:
        """Raises XmlProblem."""
        self._parser = new_parser()
        self._parser.StartElementHandler = self._root
        self._parser.EndElementHandler = None if self._failures_only else self._end
        for _ in feed(self._parser, self._data):
            yield from self._kept
            self._kept.clear()

    def _root(self, name: str, attributes: dict[str, str]) -> None:
        if name not in ("testsuites", "testsuite"):
            raise XmlProblem(f"is not a JUnit report: it begins with <{name[:40]}>")
        self._parser.StartElementHandler = self._before_cases
        self._before_cases(name, attributes)

    def _before_cases(self, name: str, attributes: dict[str, str]) -> None:
        if name == "testcase":
            self.any_seen = True
            self._parser.StartElementHandler = self._next_case if self._failures_only else self._start
        self._start(name, attributes)

    def _next_case(self, name: str, attributes: dict[str, str]) -> None:
        """The only handler called for a test that passed."""
        if name == "testcase":
            self._case = attributes
        else:
            self._start(name, attributes)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "testcase":
            if self._result != "passed":
                self._forget()
            self._case = attributes
        elif name == "testsuite":
            self._suite = attributes.get("name", "")
        elif self._case is not None:
            self._inside(name, attributes)

    def _inside(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in ("failure", "error"):
            self._result = "failed"
            self._words += [attributes.get("message", ""), "\n"]
            self._parser.CharacterDataHandler = self._hear  # off elsewhere: passing tests cost no call
            self._parser.StartElementHandler, self._parser.EndElementHandler = self._start, self._end
        elif name == "skipped" and self._result == "passed" and not self._failures_only:
            self._result = "skipped"

    def _hear(self, text: str) -> None:
        self._words.append(text[: max(LONGEST_WORDS - self._size, 0)])
        self._size += len(text)

    def _end(self, name: str) -> None:
        if name in ("failure", "error"):
            self._parser.CharacterDataHandler = None
            self._words.append("\n")
        elif name == "testcase" and self._case is not None:
            self._kept.append(Case(self._suite, self._case, self._result, "".join(self._words).strip()))
            self._forget()

    def _forget(self) -> None:
        self._case, self._result, self._size = None, "passed", 0
        self._words.clear()
        if self._failures_only:
            self._parser.StartElementHandler, self._parser.EndElementHandler = self._next_case, None
