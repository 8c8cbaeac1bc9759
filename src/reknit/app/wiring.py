"""Builds the services of this process: which adapter implements which port."""

import functools
import time

from reknit.adapters.agents.activity import watch_call
from reknit.adapters.bounded.calls import ChildCalls
from reknit.adapters.files.working_tree import OpenWorkingTree
from reknit.adapters.git.workspace import RunWorkspace
from reknit.adapters.hook import HookFiles
from reknit.adapters.setup.layer_store import LayerStore
from reknit.adapters.setup.runner import SetupRunner
from reknit.adapters.testing.environment_identity import identify_environment
from reknit.adapters.testing.suite_runner import TestCommandRunner
from reknit.app.config.load import load
from reknit.app.installation import Installation
from reknit.app.makers import make_agent, make_forge_maker, make_sound_box
from reknit.app.outages import check_surroundings
from reknit.app.prompts import render_prompt
from reknit.app.state_exports import StateExports
from reknit.core.hook.task import HookCheck
from reknit.core.runs.spec import RunSpec
from reknit.ports.runs import Outage, Tracer
from reknit.store.fix_modes import SqlFixModes
from reknit.store.issues.ledger import SqlIssueLedger
from reknit.store.runs.coordination import SqlAccounts
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from reknit.workflows.runtime.services import Services


def make_setup_runner(installation: Installation) -> SetupRunner:
    """Make the runner of set-ups, with a limit for the layers that it keeps."""
    most_gb = load(None, {}, installation.environment).setup_layers_gb
    return SetupRunner(LayerStore(installation.state / "layers", int(most_gb * 1e9)), installation.environment)


def trace_nothing(_run: str, _step: str, _moment: str) -> None:
    """Do nothing. This is the default tracer: the ledger already records the progress of a run."""


def ignore_outage(_error: BaseException) -> None:
    """Do nothing: outside of a run, an outage is reported like any other error."""


def make_services(
    installation: Installation, ledger: SqlRunLedger, trace: Tracer = trace_nothing, outage: Outage = ignore_outage
) -> Services:
    """Make the services that workflows use in this process."""

    def workspace(spec: RunSpec) -> RunWorkspace:
        # The checks of one fix mode share a gitdir: what changed since the last one is all that is copied.
        return RunWorkspace(
            spec, installation.runs / (spec.task.mode if isinstance(spec.task, HookCheck) else spec.run_id)
        )

    calls = ChildCalls()
    return Services(
        ledger=ledger,
        accounts=SqlAccounts(ledger.engine),
        issues=SqlIssueLedger(ledger.engine),
        fix_modes=SqlFixModes(ledger.engine),
        fix_mode_files=HookFiles(installation.hooks),
        state_exports=StateExports(installation.hooks, RunReader(ledger.engine)),
        box=make_sound_box,
        agent=functools.partial(make_agent, installation.environment),
        watch_call=watch_call,
        forge=make_forge_maker(installation.environment),
        tests=TestCommandRunner(calls),
        setups=make_setup_runner(installation),
        calls=calls,
        environment=identify_environment,
        workspace=workspace,
        prompt=render_prompt,
        working_tree=OpenWorkingTree(),
        check_surroundings=functools.partial(check_surroundings, installation),
        outage=outage,
        clock=time.time,
        trace=trace,
    )
