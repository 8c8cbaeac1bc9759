"""Runs the probes in a box, and checks on the host that their targets could be reached without it."""

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

from reknit.adapters.box.bubblewrap.mounts import HIDDEN
from reknit.adapters.box.bubblewrap.profile import TMP_BYTES
from reknit.adapters.box.bubblewrap.restrictions import find_interpreter
from reknit.adapters.box.process.supervisor import NOT_STARTED
from reknit.adapters.files.folders import temporary_folder
from reknit.adapters.process import find_program
from reknit.core.box import BOX_HOME, OUTBOX, BoxView, Command, CommandLimits, CommandResult, Probe
from reknit.core.box_advice import Machine, explain_missing_box
from reknit.core.errors import ToolMissingError
from reknit.ports.box import Box

_CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv")


def read_machine(root: Path = Path("/")) -> Machine:
    """Read this machine's settings for user namespaces."""

    def read_setting(name: str, otherwise: str) -> str:
        try:
            return (root / "proc" / "sys" / name).read_text().strip()
        except OSError:
            return otherwise

    return Machine(
        kernel=read_setting("kernel/osrelease", ""),
        is_container=any((root / mark.lstrip("/")).exists() for mark in _CONTAINER_MARKS),
        is_restricted_by_apparmor=read_setting("kernel/apparmor_restrict_unprivileged_userns", "0") == "1",
        allows_namespaces=read_setting("kernel/unprivileged_userns_clone", "1") != "0",
        most_namespaces=int(most) if (most := read_setting("user/max_user_namespaces", "1")).isdecimal() else 1,
    )


_SCRIPT = Path(__file__).with_name("probes.py")
_LIMITS = CommandLimits(wall_s=30.0, idle_s=30.0)
_TOKEN = "token-of-the-host"  # noqa: S105 - planted for the probes to look for

_CREDENTIALS = struct.Struct("3i")


@dataclass(frozen=True)
class _Lab:
    """Files and sockets of the host that a box must not reach or change."""

    folder: Path
    listener: socket.socket
    abstract: socket.socket

    @property
    def secret(self) -> Path:
        return self.folder / "secret"

    @property
    def outbox(self) -> Path:
        return self.folder / "outbox"

    def make_view(self) -> BoxView:
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
        programs = (find_interpreter(),)
        carry = ("carried", "carried-folder")
        return BoxView(str(repository), str(tree), carry=carry, gitdir=str(gitdir), programs=programs)

    def check_original(self) -> Probe:
        """Check that writes to a carried folder did not leave the box."""
        names = sorted(entry.name for entry in (self.folder / "repository" / "carried-folder").iterdir())
        return Probe("the original of a carried folder is unchanged", names == ["file"], " ".join(names))

    def check_targets(self) -> Probe:
        """Check that the probes' targets exist outside the box: otherwise the probes would prove nothing."""
        with (
            socket.create_connection(self.listener.getsockname(), 1),
            socket.socket(socket.AF_UNIX) as client,
        ):
            client.connect(self.abstract.getsockname())
        is_reachable = self.secret.read_text() == "secret" and _TOKEN in (self.folder / "gitdir" / "config").read_text()
        return Probe("control: all of it can be reached from outside the box", is_reachable)


def run_probes(box: Box, home: str) -> Sequence[Probe]:
    """Probe the isolation, one result per probe. Raises ToolMissingError if no box can be built here."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(temporary_folder("reknit-self-test-"))
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(f"\0reknit-{secrets.token_hex(8)}")
        abstract.listen()
        lab = _Lab(Path(folder), listener, abstract)
        view = lab.make_view()
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
        user_listener = stack.enter_context(_listen(lab.outbox / "who"))
        result = _run_in_box(box, view, facts, str(lab.outbox))
        return (
            lab.check_targets(),
            *_parse_probes(result),
            lab.check_original(),
            check_box_user(user_listener),
            _check_daemon(lab.outbox / "daemon"),
        )


def _listen(place: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    folder = os.open(place.parent, os.O_PATH)
    listener.bind(f"/proc/self/fd/{folder}/{place.name}")  # the full path may be too long for a socket address
    os.close(folder)
    listener.listen()
    return listener


def check_box_user(listener: socket.socket) -> Probe:
    """Check which host user the box runs as, according to the kernel."""
    name = "the box is not root on the host"
    listener.settimeout(0)
    try:
        connection, _ = listener.accept()
    except BlockingIOError:
        return Probe(name, has_passed=False, detail="it never connected")
    with connection:
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, uid, gid = _CREDENTIALS.unpack(credentials)
    return Probe(name, has_passed=uid != 0, detail=f"uid {uid}, gid {gid}")


def _run_in_box(box: Box, view: BoxView, facts: Mapping[str, str | int | Sequence[str]], outbox: str) -> CommandResult:
    command = Command(
        argv=(find_interpreter(), "-I", "-S", f"{BOX_HOME}/probes.py", OUTBOX),
        stdin=json.dumps(facts).encode(),
        files={"probes.py": _SCRIPT.read_bytes()},
        outbox=outbox,
        limits=_LIMITS,
    )
    with ThreadPoolExecutor(1) as thread:  # the caller may already be in an event loop
        return thread.submit(lambda: asyncio.run(_await_run(box, view, command))).result()


async def _await_run(box: Box, view: BoxView, command: Command) -> CommandResult:
    return await box.run(view, command)


def _parse_probes(result: CommandResult) -> list[Probe]:
    words = result.stderr.decode(errors="replace").strip()
    if result.exit_code == NOT_STARTED:
        why, way_out = explain_missing_box(read_machine(), find_program("bwrap") or "/usr/bin/bwrap")
        message = "; ".join(filter(None, (f"bwrap cannot build a box here: {words}", why)))
        raise ToolMissingError("tool-missing", message, help=way_out)
    probes = [Probe(*json.loads(line)) for line in result.stdout.splitlines()]
    return [*probes, Probe("all probes ran", result.reason == "exit" and result.exit_code == 0, words[-500:])]


def _check_daemon(lock: Path) -> Probe:
    """Check that the daemon of the probes no longer holds its lock."""
    name = "a daemon does not outlive its box"
    if not lock.exists() or lock.read_bytes() != b"here":
        return Probe(name, has_passed=False, detail="the daemon never ran")
    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return Probe(name, has_passed=False, detail="it is still running")
    return Probe(name, has_passed=True)
