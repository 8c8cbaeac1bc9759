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
from reknit.adapters.box.process.supervisor import supervise
from reknit.adapters.process import find_program
from reknit.core.box import BoxView, Command, CommandResult, Probe
from reknit.core.box_names import make_box_names
from reknit.core.errors import ToolMissingError
from reknit.ports.gateway import BoxServer


class Bubblewrap:
    """Implements `ports.Box`."""

    name = "bubblewrap"

    def __init__(
        self, *, path: str | None = None, home: str | None = None, variables: Mapping[str, str] | None = None
    ) -> None:
        """Accept the places of the user's programs and caches; default: those in this process's environment."""
        self._path = os.environ.get("PATH", os.defpath) if path is None else path
        self._home = str(Path.home()) if home is None else home
        self._variables = os.environ if variables is None else variables

    def self_test(self) -> Sequence[Probe]:
        self._find_bwrap()
        return self_test.run_probes(self, self._home)

    async def run(self, view: BoxView, command: Command, gateway: BoxServer | None = None) -> CommandResult:
        """Run the command. If the box could not be built, the exit code is `NOT_STARTED` and stderr says why."""
        host = Host(self._path, self._home, view.repository, self._variables)
        names = make_box_names(_make_seed(view, command))
        assembly = BoxAssembly(self._find_bwrap(), host, view, command, gateway, names=names)
        with contextlib.closing(assembly) as building:
            result = await supervise(
                building.start, building.namespace, limits=command.limits, transcript=command.transcript
            )
            stream = building.results.read_results() if building.results else b""
            result = replace(result, home=names.home, stream=stream)
            return replace(result, services=building.services.outcome()) if building.services else result

    def _find_bwrap(self) -> str:
        program = find_program("bwrap", self._path)
        if not program:
            raise ToolMissingError(
                "tool-missing",
                "bwrap was not found; agents run only in a box",
                help="apt install bubblewrap, then `reknit doctor`",
            )
        return program


@functools.cache
def _make_secret() -> str:
    """Return a secret of this process: to know the run's id must not be enough to know its tests' names."""
    return secrets.token_hex(16)


def _make_seed(view: BoxView, command: Command) -> str:
    """Return the seed of the box's names: the same for all tests of a run, whose results are compared."""
    if command.lasting_names:
        return f"{_make_secret()} agents of {view.repository}"
    return f"{_make_secret()} {view.gitdir}" if view.gitdir else secrets.token_hex(16)
