"""The bubblewrap box: its own namespaces, no privileges, no network but the gateway socket, and one writable tree."""

import contextlib
import functools
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from reknit.adapters.box.bubblewrap import self_test
from reknit.adapters.box.bubblewrap.assemble import BoxAssembly
from reknit.adapters.box.bubblewrap.prefixes import Host
from reknit.adapters.box.process.supervisor import watch
from reknit.adapters.process import find_program
from reknit.core.box import BoxView, Command, CommandResult, Probe
from reknit.core.box_names import box_names
from reknit.core.errors import ToolMissing
from reknit.ports.gateway import BoxServer


class Bubblewrap:
    """Implements `ports.Box`."""

    name = "bubblewrap"

    def __init__(
        self, *, path: str | None = None, home: str | None = None, variables: Mapping[str, str] | None = None
    ) -> None:
        """Where the user's programs and caches are; default: as in the environment of this process."""
        self._path = os.environ.get("PATH", os.defpath) if path is None else path
        self._home = str(Path.home()) if home is None else home
        self._variables = os.environ if variables is None else variables

    def self_test(self) -> Sequence[Probe]:
        self._program()
        return self_test.probe(self, self._home)

    async def run(self, view: BoxView, command: Command, gateway: BoxServer | None = None) -> CommandResult:
        """If the box could not be built, the exit code is `supervisor.NOT_STARTED` and stderr says why."""
        host = Host(self._path, self._home, view.repository, self._variables)
        names = box_names(_seed(view, command))
        assembly = BoxAssembly(self._program(), host, view, command, gateway, names=names)
        with contextlib.closing(assembly) as building:
            ended = await watch(
                building.start, building.namespace, limits=command.limits, transcript=command.transcript
            )
            stream = building.results.received() if building.results else b""
            ended = replace(ended, home=names.home, stream=stream)
            return replace(ended, services=building.services.outcome()) if building.services else ended

    def _program(self) -> str:
        found = find_program("bwrap", self._path)
        if not found:
            raise ToolMissing(
                "tool-missing",
                "bwrap was not found; agents run only in a box",
                help="apt install bubblewrap, then `reknit doctor`",
            )
        return found


@functools.cache
def _secret() -> str:
    """Of this process: what an agent may know, such as the run's id, must not be enough to know its tests' names."""
    return secrets.token_hex(16)


def _seed(view: BoxView, command: Command) -> str:
    """The same for all tests of a run, whose results are compared with each other."""
    if command.lasting_names:
        return f"{_secret()} agents of {view.repository}"
    return f"{_secret()} {view.gitdir}" if view.gitdir else secrets.token_hex(16)
