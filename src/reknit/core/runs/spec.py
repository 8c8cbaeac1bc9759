"""A run: everything it was asked, frozen when it starts, so that any worker can continue it."""

from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from reknit.core.agents.call import AgentSettings
from reknit.core.agents.holdout_target import HoldoutTarget
from reknit.core.agents.review_target import ReviewTarget
from reknit.core.agents.reviewer import Reviewer
from reknit.core.causes.left_out import LeftOut
from reknit.core.errors import InternalError
from reknit.core.forge.values import ForgePlace
from reknit.core.gate.needed_waivers import NotAllowed
from reknit.core.gate.waiver import Waivers
from reknit.core.planning.targets import PlanTarget, VariantTarget
from reknit.core.repository.routing import Kind
from reknit.core.repository.uncommitted import not_looked_at
from reknit.core.runs.limits import IssueLimits, Limits, PullLimits, VoteLimits
from reknit.core.services.service import Service
from reknit.core.setup.values import Setup
from reknit.core.testing.command import Evidence, TestCommand, best_evidence
from reknit.core.testing.command_line import as_typed

Target = TypeVar("Target")
RunState = Literal["queued", "running", "waiting", "interrupted", "left", "ended"]
"""`left`: never stored; shown for a run whose worker died."""


@dataclass(frozen=True)
class WorkspaceSettings:
    carry: tuple[str, ...] = ("auto",)
    setup: str = ""
    show: tuple[str, ...] = ()


def pull_key(place: ForgePlace, number: int) -> str:
    return f"{place.api.rstrip('/')} {place.slug}#{number}".lower()


@dataclass(frozen=True)
class PullTarget:
    """The pull request of a run, and its settings."""

    place: ForgePlace
    number: int
    url: str
    title: str
    reviewer: AgentSettings | None
    """None: no agent reviews; what people and bots left on the pull request still counts."""
    comment: bool = True
    limits: PullLimits = PullLimits()
    attended: bool = False
    """A person started it at a terminal, so the limit on runs in a row (`hops`) does not apply."""
    guides: tuple[Reviewer, ...] = ()
    """Whose instructions the review follows too."""

    @property
    def key(self) -> str:
        """One writer per key across the whole fleet."""
        return pull_key(self.place, self.number)


@dataclass(frozen=True)
class Batch:
    """Issues that one agent call works on."""

    number: int
    """From 1, in the order of work."""
    kind: Kind
    issues: tuple[int, ...]
    points: int


def issues_key(repository: str) -> str:
    return f"issues {repository}"


@dataclass(frozen=True)
class IssuesTarget:
    """The issues a run works on, who judges the whole change, and the agent files as they were when it started."""

    repository: str
    """As `core/issues/model.py` names it."""
    batches: tuple[Batch, ...]
    challenger: AgentSettings | None
    unchallenged: str = ""
    """Why there is no challenger."""
    by_choice: bool = False
    """The user switched the challenger off."""
    limits: IssueLimits = IssueLimits()
    guides: tuple[tuple[str, str], ...] = ()
    """(name, text) of fixer, dev_be, dev_fe, engineering_principles, fix_challenger."""
    tools: tuple[str, ...] = ()
    """Tools whose own fixes are tried before an agent is called, and that are run again after each fix."""
    others: tuple[int, ...] = ()
    """Issues in no batch: a tool fixed them, or no longer reports them."""
    not_allowed: NotAllowed = NotAllowed()

    @property
    def key(self) -> str:
        """One run per repository at a time."""
        return issues_key(self.repository)

    @property
    def issues(self) -> tuple[int, ...]:
        return (*(issue for batch in self.batches for issue in batch.issues), *self.others)


@dataclass(frozen=True)
class VoteTarget:
    """The pull request that two agents of different vendors vote on."""

    place: ForgePlace
    number: int
    url: str
    title: str
    voters: tuple[AgentSettings, ...]
    comment: bool = True
    limits: VoteLimits = VoteLimits()
    guides: tuple[tuple[str, str], ...] = ()
    """(name, text) of the reviewer files."""
    backend: tuple[str, ...] = ()
    frontend: tuple[str, ...] = ()
    """Additional file extensions for choosing among them."""


@dataclass(frozen=True)
class HookTarget:
    """What the window of an agent left when it stopped."""

    mode: str
    """The id of its fix mode."""
    attempt: int
    after: str
    """The working tree, as a commit."""


@dataclass(frozen=True)
class RunSpec:
    run_id: str
    kind: str
    """The kind of its capability."""
    repository: str
    """Absolute path of the user's working tree."""
    base: str
    """The commit to repair."""
    tests: TestCommand
    """The tests of its first project."""
    named: tuple[str, ...]
    """Test ids the user named; empty: every red test."""
    agent: AgentSettings
    box: str = "bubblewrap"
    limits: Limits = Limits()
    workspace: WorkspaceSettings = WorkspaceSettings()
    created_at: float = 0.0
    fallback: tuple[AgentSettings, ...] = ()
    """Agents that take over, in this order, while the previous one is rate limited."""
    again: bool = False
    """Call agents even if a run already gave up on exactly this."""
    pull: PullTarget | None = None
    """Of a `fix pr` run."""
    issues: IssuesTarget | None = None
    """Of a `fix issues` run."""
    vote: VoteTarget | None = None
    """Of a `vote` run."""
    uncommitted: tuple[str, ...] = ()
    """The first names of files that differed from the commit when the run started; for people."""
    uncommitted_count: int = 0
    on_top_of: str = ""
    """If the base is a private commit of the user's uncommitted work: the last commit that the user made."""
    other_projects: tuple[TestCommand, ...] = ()
    """The tests of its other projects."""
    unready: tuple[LeftOut, ...] = ()
    """Projects that are not run because something they need is missing here."""
    review: ReviewTarget | None = None
    """Of a `review` run."""
    setups: tuple[Setup, ...] = ()
    """What installs the dependencies of its projects, before the first test."""
    setup_base: str = ""
    """The commit whose files the set-ups use, if it is not the base: that of a stranger's pull request never is."""
    setup_fork: str = ""
    """The newest commit of the default branch in the history of the set-ups' commit; empty: none is known."""
    setup_remote: str = ""
    """A digest of the addresses of the remotes that may have that branch; empty: there are none."""
    issue_repository: str = ""
    """The repository's name in the issue ledger, as `core/issues/model.py` has it; empty: no finding is kept."""
    waivers: Waivers = Waivers()
    """What a person allows the gate to accept."""
    bug: str = ""
    """The id a person gave to the bug that a `fix tests` run repairs, or a `hook check` run checks."""
    hook: HookTarget | None = None
    """Of a `hook check` run."""
    plan: PlanTarget | None = None
    """Of a `plan` run."""
    variant: VariantTarget | None = None
    """Of a run that a plan allowed."""
    holdout: HoldoutTarget | None = None
    """Who writes further cases for each fix of a `fix tests` run; None: nobody is asked."""

    @property
    def projects(self) -> tuple[TestCommand, ...]:
        return (self.tests, *self.other_projects)

    @property
    def services(self) -> tuple[Service, ...]:
        """Of all its projects, each once, for a box whose command starts at the top of the tree."""
        first_seen = {service: tests.folder for tests in reversed(self.projects) for service in tests.services}
        each_once = dict.fromkeys(service for tests in self.projects for service in tests.services)
        return tuple(replace(service, folder=first_seen[service]) for service in each_once)

    @property
    def evidence(self) -> Evidence:
        return best_evidence(tests.evidence for tests in self.projects)

    @property
    def test_commands(self) -> str:
        """As a person would type them, one after the other."""
        commands = [as_typed(tests) for tests in self.projects]
        return commands[0] if len(commands) == 1 else "; ".join(f"({command})" for command in commands)

    @property
    def claims(self) -> str:
        """What only this run may work on while it is open; empty: nothing but its own branch."""
        if self.pull:
            return self.pull.key
        return self.issues.key if self.issues else ""

    @property
    def pull_target(self) -> PullTarget:
        return _given(self.pull, self.run_id, "fix pr")

    @property
    def issues_target(self) -> IssuesTarget:
        return _given(self.issues, self.run_id, "fix issues")

    @property
    def vote_target(self) -> VoteTarget:
        return _given(self.vote, self.run_id, "vote")

    @property
    def review_target(self) -> ReviewTarget:
        return _given(self.review, self.run_id, "review")

    @property
    def hook_target(self) -> HookTarget:
        return _given(self.hook, self.run_id, "hook check")

    @property
    def plan_target(self) -> PlanTarget:
        return _given(self.plan, self.run_id, "plan")

    @property
    def setup_commit(self) -> str:
        return self.setup_base or self.base

    @property
    def branch(self) -> str:
        return f"reknit/{self.run_id}"

    @property
    def agents(self) -> tuple[AgentSettings, ...]:
        return (self.agent, *self.fallback)

    def agent_named(self, name: str) -> AgentSettings:
        return next(agent for agent in self.agents if agent.name == name)


def _given(target: Target | None, run_id: str, kind: str) -> Target:
    if target is None:
        raise InternalError("no-target", f"{run_id} is not a `{kind}` run")
    return target


def attempt_ref(run_id: str, number: int, moment: Literal["before", "after"]) -> str:
    """Where the trusted gitdir stores the tree an attempt started from, and the one it left."""
    return f"refs/reknit/{run_id}/attempt-{number}/{moment}"


def uncommitted_ref(run_id: str) -> str:
    """Where the trusted gitdir stores the user's uncommitted work."""
    return f"refs/reknit/{run_id}/uncommitted"


def beside(spec: RunSpec) -> str:
    return not_looked_at(spec.uncommitted, spec.uncommitted_count)
