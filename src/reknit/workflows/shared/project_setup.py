"""What the projects' set-ups installed: found by its key, or built once in a box with a way to the registries."""

import asyncio

from reknit.core.runs.attempt_events import set_up_begins, set_up_done, set_up_failed, set_up_unknown
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.core.setup.inputs import changed_inputs, inputs_of, layer_key
from reknit.core.setup.results import folders_of
from reknit.core.setup.sharing import LayerUser, new_name, origins_of, usable_names
from reknit.core.setup.values import Layer, Setup, SetupFailed
from reknit.ports.repository import Workspace
from reknit.ports.setup import LayerBuild, ProjectSetups, SetupOrder
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step

POLL_S = 0.5


@step("set_up.v1", preemptible=True)
async def set_up(services: Services, spec: RunSpec) -> Ending | None:
    """None: everything that the tests need is installed. Runs before the first test and before any agent."""
    holder = f"{spec.run_id}/set-up"
    started = services.clock()
    await asyncio.to_thread(services.workspace(spec).ready)
    if not await asyncio.to_thread(services.workspace(spec).repository.resolve, spec.setup_commit):
        return set_up_unknown(spec.setups, spec.setup_commit)
    try:
        known = [await asyncio.to_thread(_hold, services, spec, setup, holder) for setup in spec.setups]
        if not all(known):
            services.ledger.event(spec.run_id, "set-up-begins", set_up_begins(spec.setups))
        layers = await hold_layers(services, spec, holder)
    finally:
        await asyncio.to_thread(services.setups.release, holder)
    if isinstance(layers, SetupFailed):
        return set_up_failed(layers)
    seconds = 0.0 if all(known) else services.clock() - started
    unused = await asyncio.to_thread(_unused_changes, services, spec)
    refused = tuple(dict.fromkeys(host for layer in layers for host in layer.refused))
    services.ledger.event(spec.run_id, "set-up", set_up_done(spec.setups, seconds, unused, refused))
    return None


async def hold_layers(services: Services, spec: RunSpec, holder: str) -> tuple[Layer, ...] | SetupFailed:
    """Built again if it is gone; `services.setups.release(holder)` ends the use."""
    layers = []
    for number, setup in enumerate(spec.setups):
        layer = await _layer(services, spec, setup, f"{holder.rpartition('/')[2]}.setup-{number}", holder)
        if isinstance(layer, SetupFailed):
            return layer
        layers.append(layer)
    return tuple(layers)


async def _layer(services: Services, spec: RunSpec, setup: Setup, name: str, holder: str) -> Layer | SetupFailed:
    while (layer := await asyncio.to_thread(_hold, services, spec, setup, holder)) is None:
        kept_as = await asyncio.to_thread(_new_name, services, spec, setup)
        build = await asyncio.to_thread(services.setups.build, kept_as)
        if build is None:
            await asyncio.sleep(POLL_S)  # another process builds it
            continue
        if failed := await _built(services, spec, setup, name, build):
            return failed
    return layer


async def _built(services: Services, spec: RunSpec, setup: Setup, name: str, build: LayerBuild) -> SetupFailed | None:
    workspace, commit = services.workspace(spec), spec.setup_commit
    try:
        tracked = await asyncio.to_thread(workspace.repository.paths, commit)
        order = SetupOrder(
            setup=setup,
            layer=await asyncio.to_thread(_new_name, services, spec, setup),
            view=await asyncio.to_thread(workspace.open_tree, name, commit),
            tracked_folders=folders_of(tracked),
            outbox=await asyncio.to_thread(workspace.folder, f"{name}.out"),
            wall_s=spec.limits.test_wall_s,
        )
        failed = await build.run(order, services.box(spec.box))
        services.check_surroundings(spec)
        return failed
    finally:
        await asyncio.to_thread(build.close)
        for folder in (name, f"{name}.out"):
            await asyncio.to_thread(workspace.close, folder)


def _unused_changes(services: Services, spec: RunSpec) -> tuple[str, ...]:
    """Files that a stranger's pull request changes, and that would change what is installed."""
    repository = services.workspace(spec).repository
    if not spec.setup_base or not repository.resolve(spec.base):
        return ()
    base, head = repository.blobs(spec.setup_base), repository.blobs(spec.base)
    return tuple(dict.fromkeys(path for setup in spec.setups for path in changed_inputs(setup, base, head)))


def _hold(services: Services, spec: RunSpec, setup: Setup, holder: str) -> Layer | None:
    return held_layer(services.workspace(spec), services.setups, spec, setup, holder)


def _new_name(services: Services, spec: RunSpec, setup: Setup) -> str:
    workspace = services.workspace(spec)
    return new_name(_key(workspace, services.setups, spec, setup), _user(workspace, spec))


def held_layer(workspace: Workspace, setups: ProjectSetups, spec: RunSpec, setup: Setup, holder: str) -> Layer | None:
    key, user, repository = _key(workspace, setups, spec, setup), _user(workspace, spec), workspace.repository
    origins = origins_of(key, setups.names(key))
    behind = [each for each in origins if repository.is_ancestor(each, spec.setup_commit)]
    fork = repository.resolve(user.fork) if user.fork else ""  # not here if the user's own history ends before it
    behind_fork = [each for each in behind if fork and repository.is_ancestor(each, fork)]
    names = usable_names(key, user, behind, behind_fork)
    return next((layer for name in names if (layer := setups.hold(name, holder))), None)


def _user(workspace: Workspace, spec: RunSpec) -> LayerUser:
    """Work that the user has not committed has another private commit in each run."""
    is_private = bool(spec.on_top_of) and not spec.setup_base
    commit = spec.setup_commit
    return LayerUser(workspace.repository.tree_of(commit) if is_private else commit, spec.setup_fork)


def _key(workspace: Workspace, setups: ProjectSetups, spec: RunSpec, setup: Setup) -> str:
    """By the files of the commit that the set-up belongs to: what an agent changes does not count."""
    blobs = workspace.repository.blobs(spec.setup_commit)
    inputs = {path: blobs[path] for path in inputs_of(setup, [*blobs])}
    return layer_key(setup, spec.repository, inputs, setups.toolchain(setup), spec.setup_remote)
