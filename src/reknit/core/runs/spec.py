"""The specification of a run: its task and settings, frozen at the start so that any worker can continue it."""

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeVar

from reknit.core.agents.call import AgentSettings
from reknit.core.causes.cause import LeftOut
from reknit.core.errors import InternalError
from reknit.core.gate.waiver import Waivers
from reknit.core.repository.uncommitted import warn_uncommitted
from reknit.core.runs.limits import Limits
from reknit.core.services.service import Service
from reknit.core.setup.layers import Setup
from reknit.core.testing.command import Evidence, TestCommand, choose_evidence, to_command_line

RunState = Literal["queued", "running", "waiting", "interrupted", "left", "ended"]
"""`left`: never stored; shown for a run whose worker died."""


@dataclass(frozen=True)
class Task:
    """The part of a run that only its capability knows; each capability defines its own in `task.py`."""

    kind: ClassVar[str]
    """The kind of its capability."""

    @property
    def claim(self) -> str:
        """Return the key of what no other run may work on while this one is open; empty: there is nothing."""
        return ""

    @property
    def is_on_forge(self) -> bool:
        """Return True if the commits come from a forge, not from the user's clone."""
        return False


SomeTask = TypeVar("SomeTask", bound=Task)


@dataclass(frozen=True)
class WorkspaceSettings:
    """Contents of the folder in which agents and tests work, besides the tracked files."""

    carry: tuple[str, ...] = ("auto",)
    """Git-ignored entries that the box shows."""
    setup: str = ""
    """Command that builds what the tests need in every fresh tree."""
    show: tuple[str, ...] = ()
    """Host paths that the box may read."""


@dataclass(frozen=True)
class ProjectSetups:
    """The commands that install the dependencies of the projects, and the commit whose files they use."""

    commands: tuple[Setup, ...] = ()
    """They run before the first test."""
    base: str = ""
    """The commit whose files they use, if it is not the base; a stranger's pull request must not choose them."""
    fork: str = ""
    """The newest commit of the default branch in the history of that commit; empty: none is known."""
    remote: str = ""
    """A digest of the addresses of the remotes that may have that branch; empty: there are none."""


@dataclass(frozen=True)
class UncommittedWork:
    """Files of the user that differed from the commit when the run started."""

    paths: tuple[str, ...] = ()
    """The first of them, for people."""
    count: int = 0
    on_top_of: str = ""
    """If the base is a private commit of the uncommitted work: the last commit that the user made."""


@dataclass(frozen=True)
class RunSpec:
    """The task and the settings of a run."""

    run_id: str
    repository: str
    """Absolute path of the user's working tree."""
    base: str
    """The commit to repair."""
    task: Task
    tests: TestCommand
    """The test command of the first project."""
    agents: tuple[AgentSettings, ...]
    """The first choice, then its fallbacks: each takes over while the previous one is rate limited."""
    box: str = "bubblewrap"
    limits: Limits = Limits()
    workspace: WorkspaceSettings = WorkspaceSettings()
    created_at: float = 0.0
    """Seconds since the epoch."""
    other_projects: tuple[TestCommand, ...] = ()
    """The test commands of the other projects."""
    unready: tuple[LeftOut, ...] = ()
    """Projects that are not run because something they need is missing here."""
    setups: ProjectSetups = ProjectSetups()
    uncommitted: UncommittedWork = UncommittedWork()
    issue_repository: str = ""
    """The repository's name in the issue ledger, as `core/issues/model.py` has it; empty: no finding is kept."""
    waivers: Waivers = Waivers()
    """Changes that a person allows the gate to accept."""
    command: str = ""
    """The command that a person typed; empty: a program started the run."""

    @property
    def kind(self) -> str:
        """Return the kind of its capability."""
        return self.task.kind

    @property
    def agent(self) -> AgentSettings:
        """Return the agent that is called first."""
        return self.agents[0]

    @property
    def projects(self) -> tuple[TestCommand, ...]:
        """Return the tests of all projects."""
        return (self.tests, *self.other_projects)

    @property
    def services(self) -> tuple[Service, ...]:
        """Return the services of all projects, each once, for a box that works at the root of the tree."""
        folders = {service: tests.folder for tests in reversed(self.projects) for service in tests.services}
        services = dict.fromkeys(service for tests in self.projects for service in tests.services)
        return tuple(replace(service, folder=folders[service]) for service in services)

    @property
    def evidence(self) -> Evidence:
        """Return the best evidence that any of its projects gives."""
        return choose_evidence(tests.evidence for tests in self.projects)

    @property
    def test_commands(self) -> str:
        """Return the test commands as a person would type them, one after the other."""
        commands = [to_command_line(tests) for tests in self.projects]
        return commands[0] if len(commands) == 1 else "; ".join(f"({command})" for command in commands)

    @property
    def setup_commit(self) -> str:
        """Return the commit whose files the set-ups use."""
        return self.setups.base or self.base

    @property
    def branch(self) -> str:
        """Return the branch that its commits land on."""
        return f"reknit/{self.run_id}"

    def find_agent(self, name: str) -> AgentSettings:
        """Return its agent of that name."""
        return next(agent for agent in self.agents if agent.name == name)

    def task_as(self, task_class: type[SomeTask]) -> SomeTask:
        """Return the task, typed; a task of another class is a bug."""
        if not isinstance(self.task, task_class):
            raise InternalError("other-task", f"{self.run_id} is not a `{task_class.kind}` run")
        return self.task


def name_attempt_ref(run_id: str, number: int, moment: Literal["before", "after"]) -> str:
    """Return the ref under which the trusted gitdir stores the tree an attempt started from, or the one it left."""
    return f"refs/reknit/{run_id}/attempt-{number}/{moment}"


def name_uncommitted_ref(run_id: str) -> str:
    """Return the ref under which the trusted gitdir stores the user's uncommitted work."""
    return f"refs/reknit/{run_id}/uncommitted"


def warn_of_uncommitted(spec: RunSpec) -> str:
    """Return the note on uncommitted files that the run does not look at; empty if there are none."""
    return warn_uncommitted(spec.uncommitted.paths, spec.uncommitted.count, kind=spec.kind)
