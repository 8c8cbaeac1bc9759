"""What one attempt was allowed to touch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scope:
    findings_files: tuple[str, ...]
    """The files that hold the failing tests, as their report names them."""
    project_root: str
    """The folder of the failing tests' nearest manifest; empty: the whole repository."""
    changed_files: int
    changed_lines: int
    runner: str
    """The test runner's name, as in `TestCommand.runner`."""
