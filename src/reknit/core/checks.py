"""Checks and their answers. A check that could not look says `error`, which is never a pass."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

CheckStatus = Literal["pass", "fail", "pending", "error"]
TestResult = Literal["passed", "failed", "skipped"]
Evidence = Literal["junit", "exit code"]

WHOLE_SUITE = "the test command"
"""The one test id there is when a runner can only be judged by its exit code."""


@dataclass(frozen=True)
class TestCommand:
    """How this repository's tests are run; found by `core/runners.py` or set by the user."""

    __test__ = False
    runner: str
    """pytest, vitest, jest, npm, go, cargo, maven, gradle, make, or `command` when the user set it."""
    argv: tuple[str, ...]
    """Runs the whole suite. `{outbox}` stands for the folder where reports are written."""
    evidence: Evidence
    report: str = ""
    """Glob of JUnit files: below the outbox when it starts with `{outbox}`, else below the tree."""
    select: tuple[str, ...] = ()
    """Arguments that run chosen tests only; `{id}` is replaced by each id, the others stay. Empty: cannot select."""
    origin: str = ""
    """Where this was read from, for people: `pyproject.toml`."""
    env: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class TestReport:
    """What one run of the tests showed."""

    __test__ = False
    status: CheckStatus
    evidence: Evidence
    results: Mapping[str, TestResult] = field(default_factory=dict)
    messages: Mapping[str, str] = field(default_factory=dict)
    """Test id -> the failure's own words, cut short."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Test id -> its file, where the report names one."""
    exit_code: int = 0
    output_tail: str = ""
    seconds: float = 0.0
    why: str = ""
    """For `error`: what was not seen, in one sentence."""

    @property
    def failed(self) -> frozenset[str]:
        return frozenset(test for test, result in self.results.items() if result == "failed")

    @property
    def passed(self) -> frozenset[str]:
        return frozenset(test for test, result in self.results.items() if result == "passed")
