"""What one attempt may touch."""

from dataclasses import dataclass

from reknit.core.gate.base_facts import BaseFacts
from reknit.core.gate.waiver import Waivers


@dataclass(frozen=True)
class Scope:
    findings_files: tuple[str, ...]
    """Every file in which a test was seen on base, except source with tests inside (doctests, Rust)."""
    project_root: str
    """The folder of the failing tests' nearest manifest; empty: the whole repository."""
    changed_files: int
    changed_lines: int
    runner: str
    """The test runner's name, as in `TestCommand.runner`."""
    started_files: tuple[str, ...] = ()
    """Files of the repository that the test command executes."""
    also_in_reach: tuple[str, ...] = ()
    """Folders of other projects that the failing tests' project depends on, and single files."""
    waivers: Waivers = Waivers()
    facts: BaseFacts | None = None
    """None: not known, so that names of files and folders decide."""
    failure: str = ""
    """What the failing test said on base."""
    failing_text: str = ""
    """The file of the failing test on base."""
