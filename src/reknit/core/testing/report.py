"""Checks and their results. A check that could not see anything is `error`, which is never a pass."""

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
_NO_SPACE = ("No space left on device", "ENOSPC", "Disk quota exceeded", "EDQUOT")
_VOLATILE = re.compile(
    r"\b0x[0-9a-fA-F]{6,16}\b|\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b|\b[0-9a-f]{32}\b"
    r"|\d{4}-\d\d-\d\d(?:[T _-]\d\d[:.]?\d\d[:.\d]*)?|\b1\d{9}(?:\.\d+|\d{3,9})?\b|/tmp/[^\s\]:]*"
)
"""Addresses, UUIDs, dates and times, seconds since 1970, paths of temporary files: values of the moment."""
_PLACE = re.compile(r"(?<=[\[-])[A-Za-z_]{1,60}\d{1,5}(?=[\]-])")
"""A parameter that pytest names by its argument and its place in the list, as in `[4-expected20-%C]`."""
WHOLE_SUITE = "the test command"
"""The only test id if a runner can only be judged by its exit code."""


@dataclass(frozen=True)
class TestReport:
    """What one run of the tests showed."""

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
    """For `error`: why there is no result, in one sentence."""
    no_result: tuple[tuple[str, str, str], ...] = ()
    """Of several projects, those without one: (its command, why, the end of its output)."""

    @property
    def ran_out_of_space(self) -> bool:
        """Only what the output says: the disk itself must be checked."""
        texts = (self.output_tail, *self.messages.values()) if self.status != "pass" else ()
        return any(words in text for text in texts for words in _NO_SPACE)

    @property
    def test_files(self) -> tuple[str, ...]:
        """Return files of tests, not source with a doctest or a Rust test inside: a fix must be able to change that."""
        return tuple(sorted({file for test, file in self.files.items() if not _is_in_source(test, file)}))

    @cached_property
    def failed(self) -> frozenset[str]:
        return frozenset(test for test, result in self.results.items() if result == "failed")

    @cached_property
    def passed(self) -> frozenset[str]:
        return frozenset(test for test, result in self.results.items() if result == "passed")

    @cached_property
    def _holders(self) -> frozenset[str]:
        """Files, classes and suites that the tests belong to."""
        return frozenset(test[: match.start()] for test in self.results for match in _LEVEL.finditer(test))

    def result_of(self, test: str) -> TestResult | None:
        """The result of a test; a file that once failed to load represents all the tests now seen in it."""
        if test in self.results:
            return self.results[test]
        return result_of(test, self.results) if test in self._holders else None


def _is_in_source(test: str, file: str) -> bool:
    name = test.rsplit("::", 1)[-1].partition("[")[0]
    return file.endswith(".rs") or (file.endswith(".py") and "." in name)


def result_of(test: str, results: Mapping[str, TestResult]) -> TestResult | None:
    if test in results:
        return results[test]
    inside = {result for other, result in results.items() if other.startswith((f"{test}::", f"{test} > "))}
    if "failed" in inside:
        return "failed"
    if "passed" in inside:
        return "passed"
    return "skipped" if inside else None


def is_named(test: str, named: Collection[str]) -> bool:
    """A name is a test id, or the file, class or unparametrised test it belongs to."""
    return any(test == name or test.startswith((f"{name}::", f"{name}[")) for name in named)


def is_asked(test: str, named: Collection[str]) -> bool:
    """By any name a user may give: also the folder it is in."""
    return is_named(test, named) or any(test.startswith(f"{name}/") for name in named)


def _form(test: str) -> str:
    """Return the id without values of the moment, and without the places that pytest gives to rows of a set."""
    return _PLACE.sub("*", _VOLATILE.sub("*", test))


def is_volatile(test: str) -> bool:
    return bool(_VOLATILE.search(test))


def unrepeated(
    tests: Collection[str], others: Collection[str], *, ran: Collection[str] = (), others_ran: Collection[str] = ()
) -> list[str]:
    """Return the tests that are not among the others, not even under an id that differs in a value of the moment.

    Each of the others stands for one test at most. `ran`, `others_ran`: every id of the two runs, with any
    result. What both runs have is one test: a row that was repaired stands for no other row.
    """
    known, left = frozenset(others), list[str]()
    absent = sorted(test for test in tests if test not in known)
    new = Counter(_form(test) for test in known.difference(tests, ran)) if absent else Counter[str]()
    for test in absent:
        form = _form(test)
        if test in others_ran or form == test or new[form] <= 0:
            left.append(test)
        new[form] -= test not in others_ran
    return left
