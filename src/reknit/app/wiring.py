"""Builds the services of this process: which adapter implements which port."""

import functools
import time

from reknit.adapters.bounded.calls import ChildCalls
from reknit.adapters.files.working_tree import OpenWorkingTree
from reknit.adapters.git.workspace import RunWorkspace
from reknit.adapters.hook.files import HookFiles
from reknit.adapters.setup.layer_store import LayerStore
from reknit.adapters.setup.runner import SetupRunner
from reknit.adapters.testing.environment_identity import environment_identity
from reknit.adapters.testing.suite_runner import TestCommandRunner
from reknit.app.config.load import load
from reknit.app.installation import Installation
from reknit.app.makers import agent_maker, forge_maker, sound_box
from reknit.app.outages import check_surroundings
from reknit.app.prompts import render
from reknit.app.pull_exports import PullExports
from reknit.core.runs.spec import RunSpec
from reknit.ports.runs import Outage, Tracer
from reknit.store.fix_modes import SqlFixModes
from reknit.store.issues.ledger import SqlIssueLedger
from reknit.store.runs.account_limits import SqlAccounts
from reknit.store.runs.ledger import SqlRunLedger
from reknit.store.runs.reader import RunReader
from reknit.workflows.runtime.services import Services


def project_setups(place: Installation) -> SetupRunner:
    most_gb = load(None, {}, place.environment).setup_layers_gb
    return SetupRunner(LayerStore(place.state / "layers", int(most_gb * 1e9)), place.environment)


def silent(_run: str, _step: str, _moment: str) -> None:
    """The default tracer does nothing: the ledger already records where a run is."""


def overlooked(_error: BaseException) -> None:
    """Does nothing: outside of a run, an outage is reported like any other error."""


def services(
    place: Installation, ledger: SqlRunLedger, trace: Tracer = silent, outage: Outage = overlooked
) -> Services:
    def workspace(spec: RunSpec) -> RunWorkspace:
        # The checks of one fix mode share a gitdir: what changed since the last one is all that is copied.
        return RunWorkspace(spec, place.runs / (spec.hook.mode if spec.hook else spec.run_id))

    calls = ChildCalls()
    return Services(
        ledger=ledger,
        accounts=SqlAccounts(ledger.engine),
        issues=SqlIssueLedger(ledger.engine),
        fix_modes=SqlFixModes(ledger.engine),
        fix_mode_files=HookFiles(place.hooks),
        pull_exports=PullExports(place.hooks, RunReader(ledger.engine)),
        box=sound_box,
        agent=functools.partial(agent_maker, place.environment),
        forge=forge_maker(place.environment),
        tests=TestCommandRunner(calls),
        setups=project_setups(place),
        calls=calls,
        environment=environment_identity,
        workspace=workspace,
        prompt=render,
        working_tree=OpenWorkingTree(),
        check_surroundings=functools.partial(check_surroundings, place),
        outage=outage,
        clock=time.time,
        trace=trace,
    )
