"""What the reports of one test run say, whatever their format."""

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reknit.core.box import BOX_HOME
from reknit.core.testing.report import TestResult

NESTED = " > "
"""Between the titles of nested suites in a test's name, as vitest writes them."""
DOCUMENTATION = "doc "
"""Before the name of a Rust test that is in a comment, which has no path."""
_SEVERITY: dict[TestResult, int] = {"passed": 0, "skipped": 1, "failed": 2}


@dataclass(frozen=True)
class ReportedTests:
    results: dict[str, TestResult] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    """Id of a failed test -> its message, in full."""
    files: dict[str, str] = field(default_factory=dict)

    def add(self, test: str, result: TestResult, words: str = "", *, file: str = "") -> None:
        """A test that is reported several times has its worst result."""
        self.results[test] = worse(self.results.get(test, "passed"), result)
        if file:
            self.files[test] = file
        if result == "failed":
            self.messages[test] = "\n".join(filter(None, (self.messages.get(test, ""), words)))


def worse(one: TestResult, other: TestResult) -> TestResult:
    return max(one, other, key=_SEVERITY.__getitem__)


def without_home(found: ReportedTests, home: str) -> ReportedTests:
    """With another text for HOME, which differs from run to run. Ids become arguments again: theirs is `BOX_HOME`."""
    if not home:
        return found

    def named(test: str) -> str:
        return test.replace(home, BOX_HOME)

    return ReportedTests(
        {named(test): result for test, result in found.results.items()},
        {named(test): words.replace(home, "~") for test, words in found.messages.items()},
        {named(test): file for test, file in found.files.items()},
    )


def below(path: str, roots: Sequence[str]) -> str:
    """An absolute path, relative to the first of the folders that holds it; any other path as it is."""
    for root in roots:
        if root and path.startswith(root.rstrip("/") + "/"):
            return posixpath.relpath(path, root)
    return path


def text_of(value: Mapping[str, object], name: str) -> str:
    """A text of an untrusted JSON object; empty if there is none."""
    found = value.get(name)
    return found if isinstance(found, str) else ""


def objects_of(value: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    """The objects in a list of an untrusted JSON object."""
    found = value.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
