"""A repository in which a test command is run, in the real box."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from reknit.adapters.bounded.calls import ChildCalls
from reknit.adapters.box.bubblewrap.box import Bubblewrap
from reknit.adapters.testing.suite_runner import TestCommandRunner
from reknit.core.box import BoxView
from reknit.core.testing.command import Evidence, TestCommand
from reknit.core.testing.report import TestReport


class Project:
    """A repository, its private tree and an outbox, with the real box round them."""

    def __init__(self, folder: Path) -> None:
        self.repository, self.tree, self.outbox = folder / "repository", folder / "tree", folder / "outbox"
        for place in (self.repository, self.tree, self.outbox):
            place.mkdir()

    def write(self, **files: str) -> None:
        for name, text in files.items():
            path = self.tree / name.replace("__", "/")
            path = path.with_suffix(".py") if not path.suffix else path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def run(
        self, command: TestCommand, *, only: Sequence[str] = (), wall_s: float = 60.0, carry: tuple[str, ...] = ()
    ) -> TestReport:
        programs = (command.argv[0],) if carry else (sys.executable, command.argv[0])
        view = BoxView(str(self.repository), str(self.tree), carry=carry, programs=programs)
        with closing(ChildCalls()) as calls:
            running = TestCommandRunner(calls).run(
                command, view, Bubblewrap(), only=only, outbox=str(self.outbox), wall_s=wall_s
            )
            return asyncio.run(running)

    def shell(self, script: str, report: str = "", *, wall_s: float = 60.0) -> TestReport:
        evidence: Evidence = "junit" if report else "exit code"
        return self.run(TestCommand("command", ("sh", "-c", script), evidence, report), wall_s=wall_s)
