"""Describes what shared code knows about one programming language."""

from __future__ import annotations

from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:  # a command that looks at no red test starts without these
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from reknit.core.causes.cause import Cause
    from reknit.core.causes.reading import Reading
    from reknit.core.causes.tree_facts import TreeFacts
    from reknit.core.syntax import ParsedTests
    from reknit.core.tamper_checks.checks import Names, TamperChecks, Targets
    from reknit.core.testing.command import Files, ParseCommand, ReportFormat, TestCommand
    from reknit.core.testing.reported import ReportedTests

    CauseRule = Callable[[Reading, TreeFacts], Cause | None]
    """Returns the cause if it recognises the message of a failure."""
    TestReader = Callable[[str, range | None], ParsedTests]
    """Returns the tests in a text. The range has the lines that a change touches; None: read all lines."""
    CheckMaker = Callable[[Targets, Names], TamperChecks]
    FailingCopy = Callable[[str, Names], str]
    """Returns a test file's text with a failure at its end."""

Part = TypeVar("Part")


@dataclass(frozen=True)
class ReportReader:
    """The functions that read the results of one report format."""

    read: Callable[[bytes, bytes, Sequence[str]], ReportedTests]
    """Reads a report. Its arguments: the report, stderr, and the folders to which paths are made relative."""
    read_missing: Callable[[bytes, Sequence[str]], ReportedTests] | None = None
    """Reads the stderr of a run that wrote no report."""
    read_records: Callable[[Sequence[Mapping[str, object]], Sequence[str]], ReportedTests] | None = None
    """Reads the records that reknit's reporter streamed; None: they have the fields of JUnit reports."""


@dataclass(frozen=True)
class WeakenedTests:
    """A way in which a change to a file weakens its tests."""

    rule: str
    """`test-removed`, `test-skipped` or `test-emptied`."""
    why: str
    """A sentence for people."""


@dataclass(frozen=True)
class Language:
    """One programming language. Only the first four fields are required.

    Fields with text of the form `module:name` name other parts. These are imported when reknit reads a red test or a
    change, so that other commands start quickly.
    """

    name: str
    runners: tuple[str, ...]
    """Names of its runners, as in `TestCommand.runner`."""
    manifests: tuple[str, ...]
    """Names of the files whose folder is a project."""
    find_commands: Callable[[Files, ParseCommand], Iterable[TestCommand]]
    """Returns how the tests of a project are run, the best command first."""
    parse_command: ParseCommand | None = None
    """Recognises its runners in a command that the user wrote."""
    settings: tuple[str, ...] = ()
    """Names of further files whose text `find_commands` reads."""
    endings: tuple[str, ...] = ()
    """Endings of its source files. A test in such a file belongs to a project of this language."""
    report_readers: str = ""
    """Mapping of report format to `ReportReader`; JUnit is read without one."""
    test_readers: str = ""
    """Mapping of file ending to `TestReader`."""
    weakened_tests: str = ""
    """For tests inside source files: a function of path, text before and text after that returns `WeakenedTests`."""
    cause_rules: str = ""
    """A tuple of `CauseRule`."""
    tamper_checks: str = ""
    """A `CheckMaker`."""
    likely_runner: str = ""
    """The runner whose second harness fits its test files if a person set the command; empty: none does."""
    failing_copies: str = ""
    """Mapping of file ending to `FailingCopy`."""

    def load_report_readers(self) -> Mapping[ReportFormat, ReportReader]:
        """Import its readers of reports."""
        readers: Mapping[ReportFormat, ReportReader] = {}
        return _load(self.report_readers, readers)

    def load_test_readers(self) -> Mapping[str, TestReader]:
        """Import its readers of test files."""
        readers: Mapping[str, TestReader] = {}
        return _load(self.test_readers, readers)

    def load_cause_rules(self) -> tuple[CauseRule, ...]:
        """Import its rules for messages that mean the environment."""
        rules: tuple[CauseRule, ...] = ()
        return _load(self.cause_rules, rules)

    def load_failing_copies(self) -> Mapping[str, FailingCopy]:
        """Import its functions that make a test file fail."""
        copies: Mapping[str, FailingCopy] = {}
        return _load(self.failing_copies, copies)

    def load_check_maker(self) -> CheckMaker | None:
        """Import the function that makes its tamper checks, if it has some."""
        maker: CheckMaker | None = None
        return _load(self.tamper_checks, maker)

    def find_weakened_tests(self, path: str, before: str, after: str) -> tuple[WeakenedTests, ...]:
        """Return how a change to a source file weakens the tests inside it."""
        return tuple(_load(self.weakened_tests, lambda _path, _before, _after: ())(path, before, after))


def _load(reference: str, default: Part) -> Part:
    part: Part = resolve_name(reference) if reference else default
    return part
