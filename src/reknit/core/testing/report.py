"""Describes the results of checks and tests. A check without a usable result is `error`, never `pass`."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from reknit.core.testing.command import Evidence

CheckStatus = Literal["pass", "fail", "pending", "error"]
TestResult = Literal["passed", "failed", "skipped"]

_LEVEL = re.compile(r"::| > ")
_DISK_FULL = ("No space left on device", "ENOSPC", "Disk quota exceeded", "EDQUOT")
_VOLATILE = re.compile(
    r"\b0x[0-9a-fA-F]{6,16}\b|\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b|\b[0-9a-f]{32}\b"
    r"|\d{4}-\d\d-\d\d(?:[T _-]\d\d[:.]?\d\d[:.\d]*)?|\b1\d{9}(?:\.\d+|\d{3,9})?\b|/tmp/[^\s\]:]*"
)
"""Addresses, UUIDs, dates and times, seconds since 1970, paths of temporary files: values of the moment."""
_ROW_POSITION = re.compile(r"(?<=[\[-])[A-Za-z_]{1,60}\d{1,5}(?=[\]-])")
"""A parameter that pytest names by its argument and its row: `expected20` in `[4-expected20-%C]`."""
WHOLE_SUITE = "the test command"
"""The only test id of a runner that is judged by its exit code."""


@dataclass(frozen=True)
class TestReport:
    """The results of one run of the tests."""

    __test__ = False
    status: CheckStatus
    evidence: Evidence
    results: Mapping[str, TestResult] = field(default_factory=dict)
    messages: Mapping[str, str] = field(default_factory=dict)
    """Test id -> the failure message, truncated."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Test id -> its file, if the report names one."""
    exit_code: int = 0
    output_tail: str = ""
    seconds: float = 0.0
    why: str = ""
    """Reason for `error`, in one sentence."""
    no_result: tuple[tuple[str, str, str], ...] = ()
    """Projects without a result, if there are several projects: (command, reason, end of its output)."""

    @property
    def ran_out_of_space(self) -> bool:
        """Return True if the output mentions a full disk; the disk itself must be checked too."""
        texts = (self.output_tail, *self.messages.values()) if self.status != "pass" else ()
        return any(words in text for text in texts for words in _DISK_FULL)

    @property
    def test_files(self) -> tuple[str, ...]:
        """Return the test files, without source files that contain doctests or Rust tests: a fix may change those."""
        return tuple(sorted({file for test, file in self.files.items() if not _is_in_source(test, file)}))

    @cached_property
    def failed(self) -> frozenset[str]:
        return frozenset(test for test, result in self.results.items() if result == "failed")

    @cached_property
    def passed(self) -> frozenset[str]:
        return frozenset(test for test, result in self.results.items() if result == "passed")

    @cached_property
    def _parents(self) -> frozenset[str]:
        """Return the files, classes and suites that the tests belong to."""
        return frozenset(test[: match.start()] for test in self.results for match in _LEVEL.finditer(test))

    def find_result(self, test: str) -> TestResult | None:
        """Return the result of a test, or the combined result if the id is that of a file, class or suite."""
        if test in self.results:
            return self.results[test]
        return find_result(test, self.results) if test in self._parents else None


def _is_in_source(test: str, file: str) -> bool:
    name = test.rsplit("::", 1)[-1].partition("[")[0]
    return file.endswith(".rs") or (file.endswith(".py") and "." in name)


def find_result(test: str, results: Mapping[str, TestResult]) -> TestResult | None:
    """Return the result of a test, or the combined result of the tests inside a file, class or suite."""
    if test in results:
        return results[test]
    inside = {result for other, result in results.items() if other.startswith((f"{test}::", f"{test} > "))}
    if "failed" in inside:
        return "failed"
    if "passed" in inside:
        return "passed"
    return "skipped" if inside else None


def is_part_of(test: str, names: Collection[str]) -> bool:
    """Return True if a name is this test id, or the file, class or unparametrised test around it."""
    return any(test == name or test.startswith((f"{name}::", f"{name}[")) for name in names)


def is_requested(test: str, names: Collection[str]) -> bool:
    """Return True if one of the names that a user gave covers the test; a name may also be a folder."""
    return is_part_of(test, names) or any(test.startswith(f"{name}/") for name in names)


def _normalize_id(test: str) -> str:
    """Return the id without values of the moment and without positions of rows."""
    return _ROW_POSITION.sub("*", _VOLATILE.sub("*", test))


def is_volatile(test: str) -> bool:
    """Return True if the id has a value of the moment, so that it differs in each run."""
    return bool(_VOLATILE.search(test))


def find_unmatched(
    tests: Collection[str], others: Collection[str], *, ran: Collection[str] = (), others_ran: Collection[str] = ()
) -> list[str]:
    """Return the tests that are not among the others, even if values of the moment are ignored.

    Each of the others matches one test at most. `ran`, `others_ran`: every id of the two runs, with any result. An id
    that is in both runs is one test and matches no other row.
    """
    other_ids, unmatched = frozenset(others), list[str]()
    absent = sorted(test for test in tests if test not in other_ids)
    new = Counter(_normalize_id(test) for test in other_ids.difference(tests, ran)) if absent else Counter[str]()
    for test in absent:
        form = _normalize_id(test)
        if test in others_ran or form == test or new[form] <= 0:
            unmatched.append(test)
        new[form] -= test not in others_ran
    return unmatched
