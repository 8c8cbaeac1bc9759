"""Every Protocol the outside world implements."""

import socket
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol

from reknit.core.agent_call import AgentCall, AgentFacts, AgentOrder, AgentSettings, Usage
from reknit.core.box import Command, Ended, Probe, Room
from reknit.core.change import Change
from reknit.core.checks import TestCommand, TestReport
from reknit.core.endings import Ending
from reknit.core.events import Event
from reknit.core.findings import Finding
from reknit.core.forge import ForgePlace, PushAnswer, Remote
from reknit.core.metering import NotNow
from reknit.core.passage import Passage, Seen
from reknit.core.receipt import Receipt
from reknit.core.verdict import GateVerdict, Proof
from reknit.ports.forge import Forge
from reknit.ports.issues import IssueImport, IssueLedger

__all__ = [
    "Forge",
    "IssueImport",
    "IssueLedger",
]


class Clerk(Protocol):
    """Keeps the books of one agent call on the host: asked before every model request, told after it."""

    def spent(self, usd: float, held_usd: float = 0.0) -> None:
        """This call's total so far, and what is set aside for requests on their way. On disk when it returns."""

    def not_before(self, account: str) -> float | None:
        """When that provider account takes requests again, if it named a time that is still ahead."""

    def limited(self, account: str, limit: NotNow) -> None: ...

    def served(self, account: str) -> None:
        """It answered well: what was known of its limit is over."""


class Gateway(Protocol):
    """The one way from a box to its model; lives for one agent call, on the host."""

    token: str

    def serve(self, listener: socket.socket) -> None:
        """Answer on this listening socket until `close`."""

    def close(self) -> Usage:
        """Stop, and say what was used and what it cost. Idempotent."""

    @property
    def seen(self) -> Seen: ...


GatewayMaker = Callable[[Passage, Clerk], Gateway]


class Accounts(Protocol):
    """Limits of provider accounts, shared by every run on the database."""

    def not_before(self, account: str) -> float | None: ...

    def limited(self, account: str, limit: NotNow) -> None: ...

    def served(self, account: str) -> None: ...


class Box(Protocol):
    """Runs a command where it can hurt nobody. Cancelling `run` kills everything in the box before it returns."""

    name: str

    def self_test(self) -> Sequence[Probe]:
        """Tries the walls. Raises ToolMissing when there is no box to be had."""

    async def run(self, room: Room, command: Command, gateway: Gateway | None = None) -> Ended: ...


class Agent(Protocol):
    def facts(self) -> AgentFacts: ...

    @property
    def account(self) -> str:
        """The provider account it draws on; empty: none that is known."""

    async def work(self, order: AgentOrder, room: Room, box: Box, clerk: Clerk) -> AgentCall:
        """Let the agent do the order in `room.tree`. Returns when no process of it is left."""


class SuiteRunner(Protocol):
    """Runs a repository's tests in a box."""

    async def run(
        self, command: TestCommand, room: Room, box: Box, *, only: Sequence[str] = (), outbox: str, wall_s: float
    ) -> TestReport:
        """`only`: chosen test ids. `outbox`: an empty host folder for reports, out of the tree."""


class TrustedRepository(Protocol):
    """git on a gitdir of reknit's own, which no agent can write. Every call is bounded in time."""

    gitdir: str

    def write_tree_to(self, rev: str, folder: str) -> None:
        """A freshly written plain copy of that tree, without `.git`. Replaces what was in the folder."""

    def snapshot(self, folder: str, base: str, ref: str, *, skip: Sequence[str] = (), at: float) -> Change:
        """Read what differs from `base` below the folder, keep it as a commit under the private `ref`, and return it.

        The folder is an agent's: plain data. `skip`: carried paths whose mount points bwrap left behind.
        """

    def change(self, base: str, head: str) -> Change:
        """What differs between two trees or commits of this gitdir."""

    def paths(self, rev: str) -> tuple[str, ...]: ...

    def read(self, rev: str, path: str) -> str:
        """A file's text; empty when there is no such file."""

    def tree_of(self, rev: str) -> str: ...

    def links(self, rev: str) -> Mapping[str, str]:
        """Every symbolic link of that tree and where it points, as it is written there."""

    def diff(self, base: str, head: str) -> str: ...

    def patch(self, base: str, head: str) -> bytes:
        """The same for `git apply`: nothing is left out or replaced."""

    def commit(self, base: str, change: Change, message: str, *, at: float) -> str:
        """A commit of exactly this change on top of base. Same input, same commit id."""

    def resolve(self, rev: str) -> str:
        """The commit id, or an empty string."""

    def keep(self, ref: str, commit: str) -> None:
        """Point a private ref at this commit, so that it stays."""

    def fetch_from(self, remote: Remote, refs: Sequence[str]) -> Mapping[str, str]:
        """Bring what these full ref names point at from a forge: ref -> commit. A ref that is not there is left out.

        Raises `Hindered` when the forge could not be reached or refused.
        """

    def push_to(self, remote: Remote, commit: str, branch: str, *, expect: str) -> PushAnswer:
        """Put the commit on a forge's branch if that is still at `expect`. A second call does nothing."""

    def show(self, commit: str) -> None:
        """Make this commit the HEAD that a box sees, so that log, status and diff work for an agent."""

    def merge_base(self, one: str, other: str) -> str:
        """Empty: they share no history."""

    def is_ancestor(self, old: str, new: str) -> bool: ...

    def replay(self, commit: str, onto: str, *, at: float) -> str:
        """The same change and message on top of another head that descends from its parent; empty: it conflicts."""

    def messages(self, base: str, head: str) -> tuple[tuple[str, str, str], ...]:
        """(commit, message, author) of everything in head that is not in base, newest first; at most 200."""

    def writers(self, rev: str, places: Sequence[tuple[str, int]]) -> tuple[str, ...]:
        """For each (file, line) the commit that wrote that line last; empty where there is no such line."""

    def land(self, repository: str, commit: str, branch: str) -> None:
        """Put the commit on the branch of the user's repository; index, tree, config, hooks and other refs stay."""


class Workspace(Protocol):
    """The folders of one run on this machine. Everything in them can be made again from the trusted gitdir."""

    @property
    def repository(self) -> TrustedRepository: ...

    def ready(self, *revs: str) -> None:
        """The trusted gitdir is there and holds the run's base and these commits. Cheap when it already does."""

    def room(self, name: str, rev: str) -> Room:
        """A freshly written tree of that commit, as a box shows it."""

    def folder(self, name: str) -> str:
        """An empty host folder, out of every box's sight."""

    def kept(self, name: str) -> str:
        """A host folder that stays with the run; what is in it stays too."""

    def keep_patch(self, name: str, base: str, head: str) -> str:
        """A file that stays with the run and brings a tree from base to head with `git apply`."""

    def close(self, name: str) -> None:
        """Remove that room or folder."""


class RunLedger(Protocol):
    """What a run leaves in the database. Every write is idempotent: a step may run twice."""

    def phase(self, run_id: str, phase: str) -> None:
        """The step the run is in, for people who look at it."""

    def waiting(self, run_id: str, reason: str, until: float) -> None: ...

    def interrupted(self, run_id: str, reason: str = "") -> None:
        """Parked: `resume` continues it."""

    def attempt_started(self, run_id: str, number: int, finding: Finding, strategy: str, agent: str) -> int:
        """How often the attempt was started by now: again after a wait, or after a worker died in it."""

    def attempt_ended(
        self, run_id: str, number: int, call: AgentCall, gate: GateVerdict | None, proof: Proof | None
    ) -> None: ...

    def receipt(self, run_id: str, receipt: Receipt) -> None: ...

    def charge(self, run_id: str, call: str, usd: float, held_usd: float = 0.0) -> None:
        """What this agent call has cost so far, and what is set aside. A call that a crash cut off keeps both."""

    def spent(self, run_id: str) -> float:
        """The run's total with what is set aside: every call of it, also those a crash cut off."""

    def remember(self, question: str, run_id: str) -> None:
        """That run has answered this question."""

    def remembered(self, question: str) -> str:
        """The run that answered it; empty: none did."""

    def claim(self, target: str, run_id: str) -> str:
        """Become the one writer of that target; returns the run that is it: this one, or another that has not ended."""

    def end(self, run_id: str, ending: Ending) -> None:
        """The first ending stays."""

    def event(self, run_id: str, key: str, event: Event) -> None:
        """`key` is unique in the run; a second write of it changes nothing."""

    def put_document(self, run_id: str, name: str, body: str) -> None: ...

    def document(self, run_id: str, name: str) -> str:
        """Empty: there is none."""


ForgeMaker = Callable[[ForgePlace], Forge]
AgentMaker = Callable[[AgentSettings], Agent]
PromptMaker = Callable[[str, Mapping[str, object]], str]
"""Name of a prompt and the facts it is filled with."""
Outage = Callable[[BaseException], None]
"""Does not return when the error comes from an outage of this machine: the process ends, its runs stay resumable."""
Tracer = Callable[[str, str, Literal["before", "after", "failed"]], None]
"""Told run, step and moment; `after` comes before the step's answer is on disk."""
