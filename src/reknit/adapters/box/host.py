"""A box without a sandbox, used only if the configuration names it: the command runs as you, in the private tree."""

import contextlib
import os
import secrets
import socket
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from reknit.adapters.box.bubblewrap.toolchain import find_places
from reknit.adapters.box.process.process_tree import ProcessGroup
from reknit.adapters.box.process.streams import ResultStream
from reknit.adapters.box.process.supervisor import ProcessStart, supervise
from reknit.adapters.files.folders import temporary_folder
from reknit.core.box import BOX_HOME, GATEWAY, OUTBOX, STREAM_FD, BoxView, Command, CommandResult, Probe
from reknit.core.box_names import make_file_names
from reknit.ports.gateway import BoxServer


class HostBox:
    """A box without isolation; implements `ports.Box`. Only a person can choose it, because of these weaknesses.

    - The command can read and write whatever you can, and has network access.
    - It runs in the private tree, not at the repository's own path: an editable install or an absolute path leads to
      the ORIGINAL code. Carried entries that are too large for a copy are links to the original ones while the command
      runs, and what it writes there stays.
    - A read-only tree is not enforced; only the agent's own permissions protect it.
    - A process that leaves the command's process group outlives the command.
    - It starts no services: their ports would be yours, and another run's.
    """

    name = "host"

    def __init__(self, *, path: str | None = None) -> None:
        self._path = os.environ.get("PATH", os.defpath) if path is None else path

    def self_test(self) -> Sequence[Probe]:
        return ()  # there is no isolation to test

    async def run(self, view: BoxView, command: Command, gateway: BoxServer | None = None) -> CommandResult:
        with contextlib.ExitStack() as stack:
            home = stack.enter_context(temporary_folder(f"{make_file_names(secrets.token_hex(8), 1)[0]}-"))
            stack.enter_context(_link_carried(view))
            address = _serve(gateway) if gateway is not None else ""
            results = stack.enter_context(_open_results(command)) if command.stream_key else None
            passed = [results.box_fd] if results else []

            def prepare() -> ProcessStart:
                for rel, content in command.files.items():
                    file = Path(home, rel)
                    file.parent.mkdir(parents=True, exist_ok=True)
                    filled_content = content.replace(GATEWAY.encode(), address.encode())
                    file.write_bytes(filled_content.replace(STREAM_FD.encode(), b"".join(b"%d" % fd for fd in passed)))
                return ProcessStart(
                    argv=[_fill_paths(word, command, home) for word in command.argv],
                    env=self._make_environment(view, command, home, address),
                    cwd=str(Path(view.tree, command.folder)),
                    stdin=command.stdin,
                    pass_fds=passed,
                )

            result = await supervise(prepare, ProcessGroup(), limits=command.limits, transcript=command.transcript)
            return replace(result, home=home, stream=results.read_results() if results else b"")

    def _make_environment(self, view: BoxView, command: Command, home: str, address: str) -> dict[str, str]:
        own = [f"{view.repository}/{name}/bin" for name in (".venv", "venv") if name in view.carry]
        programs = [Path(program) for program in view.programs if program.startswith("/")]
        python_folders = [str(path.parent) for path in programs if path.name.startswith("python")]
        variables = {name: value.replace(GATEWAY, address) for name, value in command.env.items()}
        return {
            **{name: value for service in view.services for name, value in service.env},
            "PATH": ":".join((*python_folders, *own, self._path)),
            "HOME": home,
            "TMPDIR": home,
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "NO_COLOR": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            **find_places(view.programs, str(Path.home()), os.environ),
            **{name: _fill_paths(value, command, home) for name, value in variables.items()},
        }


def _open_results(command: Command) -> "contextlib.closing[ResultStream]":
    stream = ResultStream(command.stream_key, command.on_results)
    stream.listen()
    return contextlib.closing(stream)


@contextlib.contextmanager
def _link_carried(view: BoxView) -> Iterator[None]:
    """Link carried entries while the command runs. `node_modules/` in a .gitignore would not match such a link."""
    tree = Path(view.tree).resolve()
    links = [tree / entry for entry in view.carry if _is_missing(tree, entry)]
    for link in links:
        link.symlink_to(Path(view.repository, link.relative_to(tree)))
    try:
        yield
    finally:
        for link in links:
            if link.is_symlink():
                link.unlink()


def _is_missing(tree: Path, entry: str) -> bool:
    place = tree / entry
    is_inside = place.parent.is_dir() and place.parent.resolve() == place.parent
    return is_inside and not os.path.lexists(place)


def _fill_paths(text: str, command: Command, home: str) -> str:
    return text.replace(OUTBOX, command.outbox or OUTBOX).replace(BOX_HOME, home)


def _serve(gateway: BoxServer) -> str:
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    gateway.serve(listener)
    return address
