"""Assembles one box: its isolation, its mounts, its gateway socket, and the command line that starts it."""

import contextlib
import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from reknit.adapters.box.bubblewrap import restrictions
from reknit.adapters.box.bubblewrap.as_root import RootMounts, change_owner, find_box_uid
from reknit.adapters.box.bubblewrap.mounts import Mounts
from reknit.adapters.box.bubblewrap.overlays import Overlays
from reknit.adapters.box.bubblewrap.prefixes import Host, is_venv_name
from reknit.adapters.box.bubblewrap.profile import (
    ISOLATION,
    TMP,
    add_home_files,
    add_mounts,
    build_environment,
    list_carried,
    list_named_pythons,
    list_overlaid,
    map_layers,
)
from reknit.adapters.box.bubblewrap.restrictions import ADDRESS, GatewaySocket, find_interpreter
from reknit.adapters.box.bubblewrap.toolchain import Toolchain, find_toolchain
from reknit.adapters.box.process.process_tree import PidNamespace
from reknit.adapters.box.process.streams import ResultStream
from reknit.adapters.box.process.supervisor import ProcessStart
from reknit.adapters.box.services.channel import ServiceChannel
from reknit.core.box import GATEWAY, STREAM_FD, BoxView, Command
from reknit.core.box_names import BoxNames
from reknit.ports.gateway import BoxServer

# This script runs first in a box and waits for our reply: while bwrap builds the box, the box does not die with us yet.
# If reknit has died meanwhile, `read` fails and the script exits. It is a file that removes itself, because a script in
# an argument would stay visible in the box as the command line of process 1.
_FIRST = """\
ulimit -c 0
ulimit -f 8388608
ulimit -S -n 4096 2>/dev/null
rm -f "$0"
echo
read -r _ || exit 125
exec %s
"""


class BoxAssembly:
    """The resources of one box on the host, and the command line that starts it."""

    def __init__(
        self,
        bwrap: str,
        host: Host,
        view: BoxView,
        command: Command,
        gateway: BoxServer | None,
        *,
        names: BoxNames,
    ) -> None:
        self._bwrap, self._host, self._view, self._command = bwrap, host, view, command
        self._names, self._first = names, f"{TMP}/{names.host}"
        self._uid = find_box_uid()
        self._root = RootMounts(self._uid) if self._uid is not None else None
        self.namespace = PidNamespace()
        self._socket = GatewaySocket(gateway) if gateway is not None else None
        self.services = ServiceChannel(view.services, needed=command.needs_services) if view.services else None
        self._layers: Overlays | None = None
        self._info_fd = self.namespace.info_fd()
        self.results = ResultStream(command.stream_key, command.on_results) if command.stream_key else None
        channels = [channel.box_fd for channel in (self._socket, self.services, self.results) if channel]
        self._unused = [self._info_fd, *channels]
        """File descriptors for the box; we close them if it is never started."""

    def start(self) -> ProcessStart:
        tools = self._find_tools()
        self._layers = Overlays(self._map_writable(tools), self._uid)
        mounts = Mounts(self._root)
        with contextlib.ExitStack() as on_failure:
            on_failure.callback(mounts.close)
            add_mounts(mounts, self._view, self._command, tools, self._names)
            self._layers.add_mounts(mounts)
            add_home_files(mounts, self._make_files(), self._names.home)
            mounts.create_file(os.fsencode(_FIRST % shlex.join(self._make_inner_command())), self._first)
            hidden = mounts.open_data(b"".join(os.fsencode(word) + b"\0" for word in self._make_options(mounts, tools)))
            # options are in a file, because the process list would show tokens and host paths
            argv = self._make_start_command([self._bwrap, "--args", hidden, "--", "/bin/sh", self._first], self._layers)
            self._change_owner(self._uid)
            on_failure.pop_all()
        if self._socket is not None:
            self._socket.wait()
        if self.results is not None:
            self.results.listen()
        passed, self._unused = [*mounts.fds, *self._unused], []
        return ProcessStart(
            argv=argv,
            env={"PATH": self._host.path},
            cwd=self._layers.folder,
            stdin=self._command.stdin,
            pass_fds=passed,
            handshake=True,
            pipe_owner=self._uid,
            finish=lambda: self._change_owner(0),
        )

    def _make_start_command(self, argv: list[str], layers: Overlays) -> list[str]:
        """Return the command that mounts the layers and starts bwrap without variables: process 1 would show them."""
        if self._root is None:
            return layers.stage(["env", "-i", *argv])
        with layers.as_root() as mount_layers:
            return self._root.stage(argv, mount_layers)

    def _change_owner(self, uid: int | None) -> None:
        """Make this user the owner of what the box may write to: the box's user, and afterwards root again."""
        if self._uid is not None and uid is not None:
            change_owner([folder for folder in (self._view.tree, self._command.outbox) if folder], uid)

    def close(self) -> None:
        for fd in self._unused:
            os.close(fd)
        self.namespace.close()
        if self._root is not None:
            self._root.close()
        if self._socket is not None:
            self._socket.close()
        if self.services is not None:
            self.services.close()
        if self.results is not None:
            self.results.close()
        if self._layers is not None:
            self._layers.close()

    def _make_files(self) -> dict[str, bytes]:
        stream = str(self.results.box_fd if self.results is not None else "")
        words = {GATEWAY.encode(): ADDRESS.encode(), STREAM_FD.encode(): stream.encode()}
        return {path: _replace_words(content, words) for path, content in self._command.files.items()}

    def _find_tools(self) -> Toolchain:
        entries = [f"{self._view.repository}/{entry}" for entry in list_carried(self._view)]
        environments = {str(Path(program).parent.parent) for program in list_named_pythons(self._view)}
        venvs = [entry for entry in entries if is_venv_name(entry) or entry in environments]
        venvs += [folder for place, folder in map_layers(self._view, self._names.home).items() if is_venv_name(place)]
        needs_python = self._socket or self.services
        programs = (*self._view.programs, find_interpreter()) if needs_python else self._view.programs
        return find_toolchain(programs, venvs, host=self._host, box_home=self._names.home)

    def _map_writable(self, tools: Toolchain) -> dict[str, str]:
        """Return path in the box -> host path, of folders that the command may change in its own box only."""
        entries = [f"{self._view.repository}/{entry}" for entry in list_overlaid(self._view)]
        caches = {f"{self._names.home}/{rel}": at for rel, at in tools.layers.items()}
        installed = {} if self._view.read_only else map_layers(self._view, self._names.home)
        return caches | {entry: entry for entry in entries} | installed

    def _make_options(self, mounts: Mounts, tools: Toolchain) -> list[str]:
        env = build_environment(self._view, self._command, tools, ADDRESS, self._names)
        return [
            *ISOLATION,
            *("--hostname", self._names.host),
            *mounts.make_arguments(),
            *(word for name, value in env.items() for word in ("--setenv", name, value)),
            *("--chdir", str(Path(self._view.repository, self._command.folder))),
            *("--seccomp", mounts.open_data(restrictions.make_filter())),
            *("--info-fd", str(self._info_fd)),
        ]

    def _make_inner_command(self) -> list[str]:
        relay = self._socket.command() if self._socket is not None else ()
        starter = self.services.command(find_interpreter()) if self.services is not None else ()
        return [*relay, *starter, *(self._names.fill_paths(word) for word in self._command.argv)]


def _replace_words(content: bytes, words: Mapping[bytes, bytes]) -> bytes:
    for word, value in words.items():
        content = content.replace(word, value)
    return content
