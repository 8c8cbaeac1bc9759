"""Describes as values what a box shows and runs; an adapter of the `Box` port builds the sandbox."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from reknit.core.services.failure import ServiceFailure
from reknit.core.services.service import Service

OUTBOX = "{outbox}"
"""In a command's arguments and environment: replaced by the path of its writable folder outside the tree."""

BOX_HOME = "<box-home>"
"""In a command's arguments and environment: replaced by the path of its private HOME.

Test ids contain it instead of that path. It has no special character of regular expressions, because runners select
tests by these.
"""

GATEWAY = "{gateway}"
"""In a command's environment and files: replaced by the model gateway's address as seen from the box."""

STREAM_FD = "{stream}"
"""In a command's files: replaced by the number of the descriptor that it reports results to."""


@dataclass(frozen=True)
class BoxView:
    """The files that one box sees: a private tree, shown at the path of the user's repository."""

    repository: str
    """Absolute path of the user's repository; inside the box the private tree appears here."""
    tree: str
    """Absolute host path of the private tree; the only part of the repository that is writable."""
    carry: tuple[str, ...] = ()
    """Ignored entries of the original (`.venv`, generated files), relative, shown over the tree.

    Folders can be written; the changes are private to one command. Files are read-only, unless they are in `copied`.
    """
    show: tuple[str, ...] = ()
    """Further host paths shown read-only at the same path (`workspace.show`)."""
    gitdir: str = ""
    """A trusted bare gitdir shown read-only as `.git`, with its config replaced and hooks hidden."""
    programs: tuple[str, ...] = ()
    """Programs whose toolchain the box must show, by name or absolute path."""
    copied: tuple[str, ...] = ()
    """The entries of `carry` that are already copied into the tree, and so belong to it."""
    layers: tuple[tuple[str, str], ...] = ()
    """(place, host folder): what a set-up installed. A place is below the tree, or below HOME if it starts with `~/`.

    Written like carried folders: the changes are private to one command.
    """
    read_only: bool = False
    """The tree is read-only too: nothing in the box can write to it."""
    services: tuple[Service, ...] = ()
    """Started before the command, one after the other, and ended with it."""


@dataclass(frozen=True)
class CommandLimits:
    """The limits of one command; the first one reached ends it."""

    wall_s: float = 900.0
    idle_s: float = 900.0
    """Silence on stdout and stderr for this long ends the command."""
    output_bytes: int = 10_000_000


@dataclass(frozen=True)
class Command:
    """A command that runs in a box."""

    argv: tuple[str, ...]
    stdin: bytes = b""
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files written to the private HOME before the command starts: relative path -> content."""
    show: tuple[str, ...] = ()
    """Host paths this command needs read-only at the same path, e.g. an agent's binary."""
    outbox: str = ""
    """Host folder shown writable; the command finds it where `OUTBOX` says."""
    transcript: str = ""
    """Host file that receives a live copy of stdout (bounded like the output)."""
    limits: CommandLimits = CommandLimits()
    folder: str = ""
    """The folder in which it starts, below the tree's root; empty: the root."""
    needs_services: bool = False
    """True: the command starts only when every service of the view is ready."""
    stream_key: str = ""
    """If set, the command gets a stream to report results to; this key is the first line that it reads from it."""
    on_results: Callable[[bytes], None] | None = field(default=None, compare=False)
    """Receives the data of that stream as it arrives, in a thread of its own."""
    lasting_names: bool = False
    """True: all such commands of a repository see the same HOME, user and host; its tests see other names.

    For agents: their prompts may contain HOME, and a vendor caches only the unchanged start of a prompt.
    """


EndReason = Literal["exit", "wall", "idle", "output"]


@dataclass(frozen=True)
class CommandResult:
    """The end of a command in a box. When `reason` is not `exit`, reknit killed the whole box."""

    reason: EndReason
    exit_code: int
    """Negative: killed by that signal. Meaningless if reknit killed the box."""
    stdout: bytes
    stderr: bytes
    seconds: float
    services: Literal["none", "ready", "unknown"] | ServiceFailure = "none"
    """`none`: the view has no services, or this kind of box starts none. `unknown`: the box failed before it reported
    about them. `ServiceFailure`: one did not become ready. In the last two cases, a command with `needs_services` did
    not start."""
    home: str = ""
    """Path of HOME in the box."""
    stream: bytes = b""
    """The bytes that the command wrote to its stream of results."""


@dataclass(frozen=True)
class Probe:
    """One line of a box's self-test."""

    name: str
    has_passed: bool
    detail: str = ""
