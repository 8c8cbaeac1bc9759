"""Plays a pull-request run in this process: quick waits, people who act at a step, and what agents were asked."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from reknit.app.engine.engine import run_engine
from reknit.app.installation import Installation, find_installation
from reknit.app.runs.follow import RunListener, follow
from reknit.app.start.fix_pr import plan_fix_pr
from reknit.core.finding import Finding
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.runs.ending import find_exit_code
from reknit.core.runs.event import Event
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import EventView, RunView
from reknit.store.runs.reader import RunReader
from reknit.workflows.runtime.services import current_services, install
from tests.tools.command_line import CommandLine
from tests.tools.pull_scene import PullScene

Act = Callable[[], object]
QUICK: Mapping[str, Any] = {"ci_wait_s": 0.05, "ci_watch_s": 0.2}


class WithCommand(Protocol):
    """A scene that a run can be played on."""

    @property
    def command(self) -> CommandLine: ...


@dataclass(frozen=True)
class Asked:
    """One prompt that was made for an agent."""

    name: str
    facts: Mapping[str, Any]
    prompt: str

    @property
    def findings(self) -> tuple[Finding, ...]:
        return (*self.facts["tests"], *self.facts["ci"], *self.facts["review"])

    @property
    def subjects(self) -> list[str]:
        return [finding.subject.rpartition("::")[2] for finding in self.findings]


@dataclass
class Played:
    run: RunView
    events: Sequence[Event]
    asked: Sequence[Asked]
    steps: Sequence[str]
    """Names of the steps as they began."""

    @property
    def ending(self) -> str:
        return self.run.ending or ""

    @property
    def cause(self) -> str:
        return str(self.run.detail["cause"])

    @property
    def exit_code(self) -> int:
        return find_exit_code(self.ending, self.cause)

    @property
    def fixes(self) -> list[Asked]:
        return [asked for asked in self.asked if asked.name == "fix_pr"]

    @property
    def reviews(self) -> list[Asked]:
        return [asked for asked in self.asked if asked.name == "review_pr"]

    def told(self, kind: str) -> list[Event]:
        return [event for event in self.events if event.kind == kind]

    def seen(self, check: str) -> list[str]:
        """What that check answered, look by look."""
        return [str(event.data["status"]) for event in self.told("check") if event.data["check"] == check]


@dataclass
class _Witness:
    at: Mapping[str, Act]
    asked: list[Asked] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def trace(self, _run: str, step: str, moment: Literal["before", "after", "failed"]) -> None:
        name = step.partition(".")[0]
        if moment == "after":
            return
        self.steps.append(name)
        self.counts[name] += 1
        self.at.get(f"{name} {self.counts[name]}", lambda: None)()


def place_of(scene: WithCommand) -> Installation:
    return find_installation(scene.command.environment)


def plan(scene: PullScene, number: int | None = None, flags: Mapping[str, Any] | None = None, **limits: Any) -> RunSpec:
    """`limits`: of `PullLimits`; the waits are short where none is given."""
    spec = plan_fix_pr(place_of(scene), scene.clone, number, {"box": "host", **(flags or {})}).spec
    task = spec.task_as(FixPullRequest)
    task = replace(task, limits=replace(task.limits, **{**QUICK, **limits}))
    return replace(spec, task=task, limits=replace(spec.limits, wait_s=0.05))


def play(
    scene: PullScene,
    number: int | None = None,
    *,
    at: Mapping[str, Act] | None = None,
    tell: Callable[[EventView], None] = lambda _: None,
    flags: Mapping[str, Any] | None = None,
    **limits: Any,
) -> Played:
    """`at`: what somebody does just before a step, e.g. {"push 1": …} for the first push."""
    return play_spec(scene, plan(scene, number, flags, **limits), at=at, tell=tell)


def play_spec(
    scene: WithCommand,
    spec: RunSpec,
    *,
    at: Mapping[str, Act] | None = None,
    tell: Callable[[EventView], None] = lambda _: None,
) -> Played:
    witness = _Witness(at or {})
    with run_engine(place_of(scene), trace=witness.trace) as engine:
        made = current_services().prompt

        def prompt(name: str, facts: Mapping[str, object]) -> str:
            text = made(name, facts)
            witness.asked.append(Asked(name, facts, text))
            return text

        install(replace(current_services(), prompt=prompt))
        engine.start(spec)
        reader = RunReader(engine.ledger.engine)
        run = follow(reader, spec.run_id, RunListener(tell, lambda _: None))
        engine.wait_until_recorded(spec.run_id)
        events = [seen.event for seen in reader.events(spec.run_id)]
    return Played(run, events, witness.asked, witness.steps)
