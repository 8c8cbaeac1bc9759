"""Tests the isolation of a box from inside, with a control on the host for whatever must be unreachable."""

import asyncio
import contextlib
import fcntl
import json
import os
import secrets
import socket
import struct
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.box.bubblewrap.gateway_socket import interpreter
from reknit.adapters.box.bubblewrap.kernel_view import HIDDEN
from reknit.adapters.box.bubblewrap.machine import this_machine
from reknit.adapters.box.bubblewrap.profile import TMP_BYTES
from reknit.adapters.box.process.supervisor import NOT_STARTED
from reknit.adapters.files.folders import temporary_folder
from reknit.adapters.process import find_program
from reknit.core.box import BOX_HOME, OUTBOX, BoxView, Command, CommandLimits, CommandResult, Probe
from reknit.core.box_advice import advice
from reknit.core.errors import ToolMissing
from reknit.ports.box import Box

_SCRIPT = Path(__file__).with_name("probes.py")
_LIMITS = CommandLimits(wall_s=30.0, idle_s=30.0)
_TOKEN = "token-of-the-host"  # noqa: S105 - planted for the probes to look for

_CREDENTIALS = struct.Struct("3i")


@dataclass(frozen=True)
class _Lab:
    """A miniature host with something to protect."""

    folder: Path
    listener: socket.socket
    abstract: socket.socket

    @property
    def secret(self) -> Path:
        return self.folder / "secret"

    @property
    def outbox(self) -> Path:
        return self.folder / "outbox"

    def view(self) -> BoxView:
        repository, tree, gitdir = (self.folder / name for name in ("repository", "tree", "gitdir"))
        for folder in (repository / "carried-folder", tree, self.outbox, gitdir / "objects", gitdir / "refs"):
            folder.mkdir(parents=True)
        (repository / "from-the-original").write_text("original")
        (repository / "carried").write_text("carried")
        (repository / "carried-folder" / "file").write_text("carried")
        (tree / "from-the-tree").write_text("tree")
        (gitdir / "HEAD").write_text("ref: refs/heads/main\n")
        (gitdir / "config").write_text(f'[remote "origin"]\n\turl = https://{_TOKEN}@example.org/\n')
        self.secret.write_text("secret")
        programs = (interpreter(),)
        carry = ("carried", "carried-folder")
        return BoxView(str(repository), str(tree), carry=carry, gitdir=str(gitdir), programs=programs)

    def original(self) -> Probe:
        """What the command wrote to a carried folder was private to its box."""
        seen = sorted(entry.name for entry in (self.folder / "repository" / "carried-folder").iterdir())
        return Probe("the original of a carried folder is unchanged", seen == ["file"], " ".join(seen))

    def control(self) -> Probe:
        """A probe that finds nothing proves nothing unless the same thing can be found from outside the box."""
        with (
            socket.create_connection(self.listener.getsockname(), 1),
            socket.socket(socket.AF_UNIX) as client,
        ):
            client.connect(self.abstract.getsockname())
        held = self.secret.read_text() == "secret" and _TOKEN in (self.folder / "gitdir" / "config").read_text()
        return Probe("control: all of it can be reached from outside the box", held)


def probe(box: Box, home: str) -> Sequence[Probe]:
    """One result per probe. Raises ToolMissing if no box can be built here."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(temporary_folder("reknit-self-test-"))
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(f"\0reknit-{secrets.token_hex(8)}")
        abstract.listen()
        lab = _Lab(Path(folder), listener, abstract)
        view = lab.view()
        facts = {
            "repository": view.repository,
            "secret": str(lab.secret),
            "home": home,
            "host": socket.gethostname(),
            "port": listener.getsockname()[1],
            "abstract": abstract.getsockname()[1:].decode(),
            "bound": TMP_BYTES,
            "token": _TOKEN,
            "hidden": HIDDEN,
        }
        who = stack.enter_context(_listener(lab.outbox / "who"))
        ended = _run(box, view, facts, str(lab.outbox))
        return (lab.control(), *_told(ended), lab.original(), who_connected(who), _nobody_left(lab.outbox / "daemon"))


def _listener(place: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    folder = os.open(place.parent, os.O_PATH)
    listener.bind(f"/proc/self/fd/{folder}/{place.name}")  # the full path may be too long for a socket address
    os.close(folder)
    listener.listen()
    return listener


def who_connected(listener: socket.socket) -> Probe:
    """Which host user the box runs as, according to the kernel."""
    name = "the box is not root on the host"
    listener.settimeout(0)
    try:
        connection, _ = listener.accept()
    except BlockingIOError:
        return Probe(name, held=False, detail="it never connected")
    with connection:
        said = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, uid, gid = _CREDENTIALS.unpack(said)
    return Probe(name, held=uid != 0, detail=f"uid {uid}, gid {gid}")


def _run(box: Box, view: BoxView, facts: Mapping[str, str | int | Sequence[str]], outbox: str) -> CommandResult:
    command = Command(
        argv=(interpreter(), "-I", "-S", f"{BOX_HOME}/probes.py", OUTBOX),
        stdin=json.dumps(facts).encode(),
        files={"probes.py": _SCRIPT.read_bytes()},
        outbox=outbox,
        limits=_LIMITS,
    )
    with ThreadPoolExecutor(1) as thread:  # the caller may already be in an event loop
        return thread.submit(lambda: asyncio.run(_awaited(box, view, command))).result()


async def _awaited(box: Box, view: BoxView, command: Command) -> CommandResult:
    return await box.run(view, command)


def _told(ended: CommandResult) -> list[Probe]:
    words = ended.stderr.decode(errors="replace").strip()
    if ended.exit_code == NOT_STARTED:
        why, way_out = advice(this_machine(), find_program("bwrap") or "/usr/bin/bwrap")
        what = "; ".join(filter(None, (f"bwrap cannot build a box here: {words}", why)))
        raise ToolMissing("tool-missing", what, help=way_out)
    probes = [Probe(*json.loads(line)) for line in ended.stdout.splitlines()]
    return [*probes, Probe("all probes ran", ended.reason == "exit" and ended.exit_code == 0, words[-500:])]


def _nobody_left(lock: Path) -> Probe:
    """The daemon that the probes left behind held this lock while it lived."""
    name = "a daemon does not outlive its box"
    if not lock.exists() or lock.read_bytes() != b"here":
        return Probe(name, held=False, detail="the daemon never ran")
    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return Probe(name, held=False, detail="it is still running")
    return Probe(name, held=True)
