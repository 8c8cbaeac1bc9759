"""Describes the tests that the reports of one run list, in any format."""

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reknit.core.box import BOX_HOME
from reknit.core.testing.report import TestResult

NESTED = " > "
"""Separator between the titles of nested suites in a test's name, as vitest writes it."""
DOCUMENTATION = "doc "
"""Prefix of the name of a Rust test in a comment, which has no path."""
_SEVERITY: dict[TestResult, int] = {"passed": 0, "skipped": 1, "failed": 2}


@dataclass(frozen=True)
class ReportedTests:
    """Results, messages and files by test id."""

    results: dict[str, TestResult] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    """Id of a failed test -> its message, in full."""
    files: dict[str, str] = field(default_factory=dict)

    def add(self, test: str, result: TestResult, words: str = "", *, file: str = "") -> None:
        """Add a result. A test that is reported several times keeps its worst result."""
        self.results[test] = choose_worse(self.results.get(test, "passed"), result)
        if file:
            self.files[test] = file
        if result == "failed":
            self.messages[test] = "\n".join(filter(None, (self.messages.get(test, ""), words)))


def choose_worse(one: TestResult, other: TestResult) -> TestResult:
    """Return the worse of two results: failed, then skipped, then passed."""
    return max(one, other, key=_SEVERITY.__getitem__)


def replace_home(reported: ReportedTests, home: str) -> ReportedTests:
    """Replace HOME, which differs from run to run: by `BOX_HOME` in ids, by `~` in messages."""
    if not home:
        return reported

    def replace_in_id(test: str) -> str:
        return test.replace(home, BOX_HOME)

    return ReportedTests(
        {replace_in_id(test): result for test, result in reported.results.items()},
        {replace_in_id(test): words.replace(home, "~") for test, words in reported.messages.items()},
        {replace_in_id(test): file for test, file in reported.files.items()},
    )


def make_relative(path: str, roots: Sequence[str]) -> str:
    """Return an absolute path relative to the first folder around it; any other path unchanged."""
    for root in roots:
        if root and path.startswith(root.rstrip("/") + "/"):
            return posixpath.relpath(path, root)
    return path


def read_text(value: Mapping[str, object], name: str) -> str:
    """Return a text of an untrusted JSON object; empty if there is none."""
    text = value.get(name)
    return text if isinstance(text, str) else ""


def read_objects(value: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    """Return the objects in a list of an untrusted JSON object."""
    objects = value.get(name)
    return [entry for entry in objects if isinstance(entry, dict)] if isinstance(objects, list) else []
