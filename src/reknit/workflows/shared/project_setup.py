"""Installs the projects' set-ups as layers: found by key, or built once in a box with a way to the registries."""

import asyncio

from reknit.core.runs.attempt_events import announce_set_up, end_failed_set_up, end_unknown_set_up, report_set_up
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.core.setup.inputs import hash_layer_key, list_changed_inputs, list_inputs
from reknit.core.setup.layers import (
    Layer,
    LayerUser,
    Setup,
    SetupFailed,
    list_origins,
    list_tracked_folders,
    list_usable_names,
    name_new_layer,
)
from reknit.ports.box import LayerBuild, ProjectSetups, SetupOrder
from reknit.ports.repository import Workspace
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step

POLL_S = 0.5


@step("set_up.v1", preemptible=True)
async def set_up(services: Services, spec: RunSpec) -> Ending | None:
    """Install the set-ups before the first test and any agent. None: everything that the tests need is installed."""
    holder = f"{spec.run_id}/set-up"
    started = services.clock()
    await asyncio.to_thread(services.workspace(spec).ensure_commits)
    if not await asyncio.to_thread(services.workspace(spec).repository.resolve, spec.setup_commit):
        return end_unknown_set_up(spec.setups.commands, spec.setup_commit)
    try:
        held_layers = [await asyncio.to_thread(_hold, services, spec, setup, holder) for setup in spec.setups.commands]
        if not all(held_layers):
            services.ledger.put_event(spec.run_id, "set-up-begins", announce_set_up(spec.setups.commands))
        layers = await hold_layers(services, spec, holder)
    finally:
        await asyncio.to_thread(services.setups.release, holder)
    if isinstance(layers, SetupFailed):
        return end_failed_set_up(layers)
    seconds = 0.0 if all(held_layers) else services.clock() - started
    unused = await asyncio.to_thread(_unused_changes, services, spec)
    refused = tuple(dict.fromkeys(host for layer in layers for host in layer.refused))
    services.ledger.put_event(spec.run_id, "set-up", report_set_up(spec.setups.commands, seconds, unused, refused))
    return None


async def hold_layers(services: Services, spec: RunSpec, holder: str) -> tuple[Layer, ...] | SetupFailed:
    """Return the layers, built again if they are gone; `services.setups.release(holder)` ends the use."""
    layers = []
    for number, setup in enumerate(spec.setups.commands):
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
        if failed := await _build(services, spec, setup, name, build):
            return failed
    return layer


async def _build(services: Services, spec: RunSpec, setup: Setup, name: str, build: LayerBuild) -> SetupFailed | None:
    workspace, commit = services.workspace(spec), spec.setup_commit
    try:
        tracked = await asyncio.to_thread(workspace.repository.paths, commit)
        order = SetupOrder(
            setup=setup,
            layer=await asyncio.to_thread(_new_name, services, spec, setup),
            view=await asyncio.to_thread(workspace.open_tree, name, commit),
            tracked_folders=list_tracked_folders(tracked),
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
    """Return the files of a stranger's pull request that would change the installation, and are not used."""
    repository = services.workspace(spec).repository
    if not spec.setups.base or not repository.resolve(spec.base):
        return ()
    base, head = repository.blobs(spec.setups.base), repository.blobs(spec.base)
    return tuple(
        dict.fromkeys(path for setup in spec.setups.commands for path in list_changed_inputs(setup, base, head))
    )


def _hold(services: Services, spec: RunSpec, setup: Setup, holder: str) -> Layer | None:
    return hold_layer(services.workspace(spec), services.setups, spec, setup, holder)


def _new_name(services: Services, spec: RunSpec, setup: Setup) -> str:
    workspace = services.workspace(spec)
    return name_new_layer(_key(workspace, services.setups, spec, setup), _user(workspace, spec))


def hold_layer(workspace: Workspace, setups: ProjectSetups, spec: RunSpec, setup: Setup, holder: str) -> Layer | None:
    """Return a layer that this set-up may use, and keep it from being removed; None if there is none."""
    key, user, repository = _key(workspace, setups, spec, setup), _user(workspace, spec), workspace.repository
    origins = list_origins(key, setups.names(key))
    behind = [origin for origin in origins if repository.is_ancestor(origin, spec.setup_commit)]
    fork = repository.resolve(user.fork) if user.fork else ""  # not here if the user's own history ends before it
    behind_fork = [origin for origin in behind if fork and repository.is_ancestor(origin, fork)]
    names = list_usable_names(key, user, behind, behind_fork)
    return next((layer for name in names if (layer := setups.hold(name, holder))), None)


def _user(workspace: Workspace, spec: RunSpec) -> LayerUser:
    """Work that the user has not committed has another private commit in each run."""
    is_private = bool(spec.uncommitted.on_top_of) and not spec.setups.base
    commit = spec.setup_commit
    return LayerUser(workspace.repository.tree_of(commit) if is_private else commit, spec.setups.fork)


def _key(workspace: Workspace, setups: ProjectSetups, spec: RunSpec, setup: Setup) -> str:
    """Return the key made of the commit's set-up files: an agent's changes do not count."""
    blobs = workspace.repository.blobs(spec.setup_commit)
    inputs = {path: blobs[path] for path in list_inputs(setup, [*blobs])}
    return hash_layer_key(setup, spec.repository, inputs, setups.toolchain(setup), spec.setups.remote)
