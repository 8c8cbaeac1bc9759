"""Builds the services of this process: which adapter implements which port."""

import functools
import time
from collections.abc import Callable, Mapping

from reknit.adapters import registry
from reknit.adapters.bounded.calls import ChildCalls
from reknit.adapters.files.append_text import WorkingTreeFile
from reknit.adapters.git.workspace import RunWorkspace
from reknit.adapters.testing.suite_runner import TestCommandRunner
from reknit.app.installation import Installation
from reknit.app.outages import check_surroundings
from reknit.app.price_table import price_table
from reknit.app.prompts import render
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import ToolMissing
from reknit.core.forge.values import ForgePlace
from reknit.core.runs.spec import RunSpec
from reknit.ports.agents import Agent
from reknit.ports.box import Box
from reknit.ports.forge import Forge
from reknit.ports.gateway import Accounts
from reknit.ports.issues import IssueLedger
from reknit.ports.runs import Outage, RunLedger, Tracer
from reknit.workflows.runtime.services import Services


@functools.cache
def sound_box(name: str) -> Box:
    """The box of that name, self-tested once per process. If it is not sound: refuse, never degrade."""
    box = registry.box(name)
    leaks = [probe for probe in box.self_test() if not probe.held]
    if leaks:
        what = f"the box failed its self-test: {leaks[0].name} ({leaks[0].detail})"
        raise ToolMissing("box", what, help="`reknit doctor` shows every probe")
    return box


def agent_maker(environment: Mapping[str, str], settings: AgentSettings) -> Agent:
    return registry.agent(settings, environment=environment, prices=price_table(environment.get("REKNIT_PRICES", "")))


def forge_maker(environment: Mapping[str, str]) -> Callable[[ForgePlace], Forge]:
    """One client per place and process: it caches what the forge need not send again."""

    @functools.cache
    def made(place: ForgePlace) -> Forge:
        return registry.forge(place, environment)

    return made


def silent(_run: str, _step: str, _moment: str) -> None:
    """The default tracer does nothing: the ledger already records where a run is."""


def overlooked(_error: BaseException) -> None:
    """Does nothing: outside of a run, an outage is reported like any other error."""


def services(
    place: Installation, ledger: RunLedger, accounts: Accounts, issues: IssueLedger, trace: Tracer = silent,
    outage: Outage = overlooked,
) -> Services:  # fmt: skip
    def workspace(spec: RunSpec) -> RunWorkspace:
        return RunWorkspace(spec, place.runs / spec.run_id)

    calls = ChildCalls()
    return Services(
        ledger=ledger,
        accounts=accounts,
        issues=issues,
        box=sound_box,
        agent=functools.partial(agent_maker, place.environment),
        forge=forge_maker(place.environment),
        tests=TestCommandRunner(calls),
        calls=calls,
        workspace=workspace,
        prompt=render,
        progress_file=WorkingTreeFile(),
        check_surroundings=functools.partial(check_surroundings, place),
        outage=outage,
        clock=time.time,
        trace=trace,
    )
