"""How a repository's tests are run."""

import posixpath
from dataclasses import dataclass
from typing import Literal

Evidence = Literal["junit", "exit code"]


@dataclass(frozen=True)
class TestCommand:
    """How this repository's tests are run; found by `core/testing/detect.py` or set by the user."""

    __test__ = False
    runner: str
    """pytest, vitest, jest, npm, go, cargo, maven, gradle, make, or `command` if the user set it."""
    argv: tuple[str, ...]
    """Runs the whole suite. `{outbox}` stands for the folder where reports are written."""
    evidence: Evidence
    report: str = ""
    """Glob of JUnit files: below the outbox if it starts with `{outbox}`, otherwise below the tree."""
    select: tuple[str, ...] = ()
    """Arguments that run only chosen tests; `{id}` is replaced by each id, the others stay. Empty: cannot select."""
    origin: str = ""
    """Where this was read from, relative to `folder`: `pyproject.toml`."""
    env: tuple[tuple[str, str], ...] = ()
    folder: str = ""
    """Where it runs, below the repository's root; empty: the root. Its test ids and report are relative to it."""

    @property
    def manifest(self) -> str:
        """The file of the repository that says how the tests are run, if it is one."""
        return posixpath.join(self.folder, self.origin)
