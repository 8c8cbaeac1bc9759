"""A capability that is not part of the product: `reknit observe` runs the tests and calls no agent.

It is complete: start, workflow, texts, command and registration. Run as a script, it is reknit with that command.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

import click
from dbos import DBOS

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import load
from reknit.app.installation import Installation, find_installation
from reknit.app.start.new_spec import RunPlan, make_spec, make_start_notes
from reknit.app.start.projects import projects_to_test
from reknit.core.agents.call import AgentSettings
from reknit.core.capabilities import CAPABILITIES
from reknit.core.capability import Capability, StoredRun
from reknit.core.checks.status import TestsResult
from reknit.core.runs.ending import Ending
from reknit.core.runs.event import Event
from reknit.core.runs.spec import RunSpec, Task
from reknit.core.text.format import sanitize_line
from reknit.interfaces.cli.launch.start import start_run
from reknit.interfaces.cli.main import COMMANDS, main
from reknit.interfaces.cli.options.settings import BOX, FORMAT, collect_settings
from reknit.workflows.registry import WORKFLOWS, RegisteredWorkflow
from reknit.workflows.runtime.codec import CODEC
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import ending_from_result, result_or_error, step
from reknit.workflows.shared.tests_check import run_tests_check

# core: the decision and the texts


@dataclass(frozen=True)
class Observe(Task):
    """Run the tests."""

    kind: ClassVar[str] = "observe"


def decide(seen: TestsResult) -> Ending:
    if seen.status == "error":
        return Ending("UNVERIFIED", seen.why)
    red = len(seen.findings)
    return Ending("BLOCKED", f"{red} red test(s)") if red else Ending("CLEAN", f"{seen.passed} passed")


def observed(seen: TestsResult) -> Event:
    return Event("observed", "bad" if seen.findings else "ok", "tests", f"{seen.passed} passed", {"red": seen.status})


def red_lines(stored: StoredRun, _width: int) -> list[str]:
    result: Mapping[str, list[Mapping[str, str]]] = stored.documents.get("observed", {})
    return [f"  red     {sanitize_line(finding['subject'])}" for finding in result.get("findings", [])]


# workflows: the order


@step("observe_tests.v1", preemptible=True)
async def look(services: Services, spec: RunSpec) -> TestsResult:
    services.ledger.put_event(spec.run_id, "started", Event("started", "note", spec.run_id, "observes"))
    seen = await run_tests_check(services, spec, "observe", spec.base)
    services.ledger.put_document(spec.run_id, "observed", json.dumps(asdict(seen)))
    services.ledger.put_event(spec.run_id, "observed", observed(seen))
    return seen


@step("observe_end.v1")
async def end(services: Services, spec: RunSpec, ending: Ending) -> Ending:
    services.ledger.end(spec.run_id, ending)
    return ending


@DBOS.workflow(name="observe.v1", max_recovery_attempts=50)
async def observe_tests(spec: RunSpec) -> Ending:
    return await end(spec, ending_from_result(await result_or_error(_decided(spec))))


async def _decided(spec: RunSpec) -> Ending:
    return decide(await look(spec))


# app: from the command to a frozen run


def plan_observe(installation: Installation, folder: Path) -> RunPlan:
    repository = UserRepository.find(str(folder))
    config = load(Path(repository.root), collect_settings(), installation.environment)
    tests, nobody = projects_to_test(installation, repository, config).tests, AgentSettings("no agent", "scripted")
    spec, _ = make_spec(Observe(), repository, config, repository.head(), tests, [nobody])
    return RunPlan(spec, make_start_notes(spec))


# interfaces: the command


@click.command()
@BOX
@FORMAT
def observe(form: str) -> int:
    """Run the tests once and say what is red."""
    installation = find_installation(os.environ)
    return start_run(installation, plan_observe(installation, Path.cwd()), form)


CAPABILITY = Capability(
    kind="observe",
    agents=lambda _spec: [],
    runs_tests=True,
    phases={"observe_tests": "runs the tests", "observe_end": "ends"},
    documents=("observed",),
    show_lines=red_lines,
)

if __name__ == "__main__":
    CAPABILITIES[CAPABILITY.kind] = f"{__name__}:CAPABILITY"
    WORKFLOWS["observe"] = RegisteredWorkflow("observe.v1", f"{__name__}:observe_tests")
    CODEC.add("observe", f"{__name__}:Observe")
    COMMANDS["observe"] = (__name__, "Run the tests once.")
    main()
