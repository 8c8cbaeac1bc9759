"""How a repository's tests are run."""

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from reknit.core.box import OUTBOX
from reknit.core.services.service import Service

Evidence = Literal["junit", "exit code", "report"]
"""`report`: the runner's own JSON or text."""
ReportFormat = Literal["junit", "jest", "mocha", "playwright", "go", "cargo"]

OUTBOX_WORD = OUTBOX
_REPORT = f"{OUTBOX_WORD}/report."
STDOUT_WORD = "{stdout}"
"""As `TestCommand.report`: the runner prints its report."""
WHOLE_WORD = "{whole}"
"""At the start of a word of `argv`: it is left out when single tests are chosen."""
GLOB_WORD = "{glob}"
"""At the start of a word of `argv`: a shell would have replaced it by the files that match."""
SELECTION_WORD = "{selection}"
"""A word of `argv`: the arguments that choose tests go here; without it, to the end."""
UNITTEST_WORD = "{unittest}"
"""A word of `argv`: the source of the program that runs unittest or Django and writes JUnit."""
NODE_REPORTER_WORD = "{node reporter}"
"""In a word of `argv`: the address of the module that writes the results of `node --test` as JUnit."""


def best_evidence(found: Iterable[Evidence]) -> Evidence:
    """Of several projects: test by test if that is so in any of them."""
    return next((evidence for evidence in found if evidence != "exit code"), "exit code")


@dataclass(frozen=True)
class TestCommand:
    """How this repository's tests are run; found by `core/testing/detect.py` or set by the user."""

    __test__ = False
    runner: str
    """pytest, unittest, django, vitest, jest, mocha, node, playwright, go, cargo, maven, gradle; npm and make, judged
    by their exit code; or `command` if the user set another one."""
    argv: tuple[str, ...]
    """Runs the whole suite. `{outbox}` stands for the folder where reports are written."""
    evidence: Evidence
    report: str = ""
    """Glob of report files: below the outbox if it starts with `{outbox}`, otherwise below the tree; or `{stdout}`."""
    select: tuple[str, ...] = ()
    """Arguments that run only chosen tests, see `core/testing/selection.py`. Empty: cannot select."""
    origin: str = ""
    """Where this was read from, relative to `folder`: `pyproject.toml`."""
    env: tuple[tuple[str, str], ...] = ()
    folder: str = ""
    """Where it runs, below the repository's root; empty: the root. Its test ids and report are relative to it."""
    report_format: ReportFormat = "junit"
    typed: str = ""
    """What a person would type for `argv`; empty: see `core/testing/command_line.py`."""
    services: tuple[Service, ...] = ()
    """Started beside the tests, in the same box."""
    within: tuple[str, ...] = ()
    """Files and folders below `folder` whose tests are its own, while others there have another runner; empty: all."""

    @property
    def manifest(self) -> str:
        """The file of the repository that says how the tests are run, if it is one."""
        return posixpath.join(self.folder, self.origin)


def with_report_name(command: TestCommand, name: str) -> TestCommand:
    """With this name for its report: tested code must not find it by a name that is always the same."""

    def named(text: str) -> str:
        return text.replace(_REPORT, f"{OUTBOX_WORD}/{name}.")

    return replace(
        command,
        argv=tuple(named(word) for word in command.argv),
        env=tuple((variable, named(value)) for variable, value in command.env),
        report=named(command.report),
    )
