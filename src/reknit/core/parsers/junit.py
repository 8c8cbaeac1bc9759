"""Reads JUnit reports as a stream: which tests passed, failed or were skipped, and the words of the failures."""

import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from reknit.core.checks import TestResult

_SEVERITY: dict[TestResult, int] = {"passed": 0, "skipped": 1, "failed": 2}
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")


@dataclass(frozen=True)
class JUnit:
    results: dict[str, TestResult] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    """Id of a failed test -> its own words, in full."""
    files: dict[str, str] = field(default_factory=dict)


def parse(documents: Iterable[bytes]) -> JUnit:
    """All documents together. Raises ValueError for one that is not a whole JUnit report."""
    found = JUnit()
    for document in documents:
        _Reader(found).read(document)
    return found


class _Reader:
    def __init__(self, found: JUnit) -> None:
        self._found = found
        self._suite = ""
        self._case: dict[str, str] | None = None
        self._result: TestResult = "passed"
        self._words: list[str] = []
        self._has_root = False
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.EntityDeclHandler = self._refuse_entities

    def read(self, document: bytes) -> None:
        try:
            self._parser.ParseFile(io.BytesIO(document))
        except (expat.ExpatError, LookupError) as error:
            raise ValueError(f"the test report is not well-formed XML: {error}") from error

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._has_root and name not in ("testsuites", "testsuite"):
            raise ValueError(f"the test report is no JUnit report: it begins with <{name[:40]}>")
        self._has_root = True
        if name == "testsuite":
            self._suite = attributes.get("name", "")
        elif name == "testcase":
            self._case, self._result = attributes, "passed"
            self._words.clear()
        elif self._case is not None and name in ("failure", "error"):
            self._result = "failed"
            self._words += [attributes.get("message", ""), "\n"]
            self._parser.CharacterDataHandler = self._words.append  # off elsewhere: passing tests cost no callback
        elif self._case is not None and name == "skipped" and self._result == "passed":
            self._result = "skipped"

    def _end(self, name: str) -> None:
        if name in ("failure", "error"):
            self._parser.CharacterDataHandler = None
            self._words.append("\n")
        elif name == "testcase" and self._case is not None:
            self._keep(self._case)
            self._case = None

    def _keep(self, case: Mapping[str, str]) -> None:
        test, file = _identify(case, self._suite)
        if not test:
            raise ValueError("the test report holds a test case without a name")
        earlier = self._found.results.get(test, "passed")
        self._found.results[test] = max(earlier, self._result, key=lambda result: _SEVERITY[result])
        if file:
            self._found.files[test] = file
        if self._result == "failed":
            said = [self._found.messages.get(test, ""), _with_headline("".join(self._words).strip())]
            self._found.messages[test] = "\n".join(filter(None, said))

    def _refuse_entities(self, *_declaration: object) -> None:
        raise ValueError("the test report declares an entity, which no test report needs")


def _with_headline(words: str) -> str:
    """pytest puts the reason that a file cannot be loaded last; people read the first line."""
    if not words.startswith("collection failure"):
        return words
    reasons = [line[1:].strip() for line in words.splitlines() if line.startswith("E ")]
    return "\n".join([*reasons[-1:], words])


def _identify(case: Mapping[str, str], suite: str) -> tuple[str, str]:
    """The id by which the runner itself would name the test, and its file where that is known."""
    group, name, file = case.get("classname", ""), case.get("name", ""), case.get("file", "")
    if suite == "pytest" or file.endswith(".py"):
        return _pytest_node(group, name, file)
    if _SCRIPT.search(group):
        file = file or group
    return "::".join(filter(None, (group or file, name))), file


def _pytest_node(group: str, name: str, file: str) -> tuple[str, str]:
    if not group:  # a file that could not be collected
        path = file or name.replace(".", "/") + ".py"
        return path, path
    module = file.removesuffix(".py").replace("/", ".")
    if file and (group == module or group.startswith(module + ".")):
        classes = group[len(module) + 1 :]
    else:  # the test is inherited from another file, or the report names none: classes are written large
        parts = group.split(".")
        length = next((number for number, part in enumerate(parts) if part[:1].isupper()), len(parts))
        file, classes = "/".join(parts[:length]) + ".py" if length else "", ".".join(parts[length:])
    return "::".join(filter(None, (file, *classes.split("."), name))), file
