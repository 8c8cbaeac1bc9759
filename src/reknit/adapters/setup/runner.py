"""Runs a project's set-up in a box whose only way out is the registry proxy, and keeps what it installed as a layer."""

import asyncio
import contextlib
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from reknit.adapters.files.folders import discard
from reknit.adapters.process import find_program
from reknit.adapters.setup.client_settings import box_settings
from reknit.adapters.setup.layer_store import LayerStore, NewLayer
from reknit.adapters.setup.proxy import SetupProxy
from reknit.adapters.setup.upstream import Upstreams
from reknit.core.box import Command, CommandLimits, CommandResult
from reknit.core.setup.clients import programs_of_setup
from reknit.core.setup.results import HOME_PREFIX, IN_HOME, MOST_FOLDERS, is_result
from reknit.core.setup.run_text import not_kept, too_large, too_many, what_failed
from reknit.core.setup.values import Layer, Setup, SetupFailed
from reknit.ports.box import Box
from reknit.ports.setup import SetupOrder

TAIL_CHARS = 4000


class SetupRunner:
    """Implements `ports.ProjectSetups`."""

    def __init__(self, store: LayerStore, environment: Mapping[str, str]) -> None:
        self._store, self._environment = store, environment

    def toolchain(self, setup: Setup) -> Sequence[str]:
        return [self._program(name) for name in programs_of_setup(setup.command)]

    def _program(self, name: str) -> str:
        """Nothing is executed to find its version: another version is another file."""
        found = find_program(name, self._environment.get("PATH"))
        if not found:
            return f"{name} missing"
        real = os.path.realpath(found)
        facts = Path(real).stat()
        return f"{name} {real} {facts.st_size} {facts.st_mtime_ns}"

    def names(self, key: str) -> Sequence[str]:
        return self._store.names(key)

    def hold(self, name: str, holder: str) -> Layer | None:
        return self._store.hold(name, holder)

    def release(self, holder: str) -> None:
        self._store.release(holder)

    def build(self, name: str) -> "RunningBuild | None":
        stack = contextlib.ExitStack()
        new = stack.enter_context(self._store.building(name))
        if new is None:
            stack.close()
            return None
        return RunningBuild(self._store, self._environment, new, stack)


class RunningBuild:
    """Implements `ports.LayerBuild`."""

    def __init__(
        self, store: LayerStore, environment: Mapping[str, str], new: NewLayer, stack: contextlib.ExitStack
    ) -> None:
        self._store, self._environment, self._new, self._stack = store, environment, new, stack

    def close(self) -> None:
        self._stack.close()

    async def run(self, order: SetupOrder, box: Box) -> SetupFailed | None:
        for entry in order.view.copied:  # what the user has installed is not what the set-up installs
            discard(Path(order.view.tree, entry))
        from reknit.adapters.setup.certificates import SetupAuthority  # cryptography; most runs have no set-up to run

        authority = SetupAuthority()
        settings = box_settings(order.setup.command, self._environment, authority.pem)
        proxy = SetupProxy(settings.registries, Upstreams(self._environment, settings.certificates), authority)
        view = replace(
            order.view, carry=(), copied=(), programs=(*order.view.programs, *programs_of_setup(order.setup.command))
        )
        command = Command(
            ("sh", "-c", order.setup.command),
            env=settings.env,
            files=settings.files,
            outbox=order.outbox,
            limits=CommandLimits(wall_s=order.wall_s, idle_s=order.wall_s),
            folder=order.setup.folder,
        )
        with contextlib.closing(proxy):
            ended = await box.run(view, command, proxy)
        if ended.reason != "exit" or ended.exit_code != 0:
            return _failed(order.setup, ended, proxy)
        return await asyncio.to_thread(self._keep, order, tuple(proxy.record.refused))

    def _keep(self, order: SetupOrder, refused: Sequence[str]) -> SetupFailed | None:
        try:
            found = dict(_in_tree(Path(order.view.tree), order.tracked_folders))
            found |= dict(_in_outbox(Path(order.outbox)))
            if len(found) > MOST_FOLDERS:
                return SetupFailed(order.setup, too_many(len(found)))
            excess = self._new.keep(found, refused)
        except OSError as problem:  # a path that is too long, a full disk
            return SetupFailed(order.setup, not_kept(problem.strerror or str(problem)))
        if excess:
            return SetupFailed(order.setup, too_large(excess))
        self._store.trim(but=order.layer)
        return None


def _failed(setup: Setup, ended: CommandResult, proxy: SetupProxy) -> SetupFailed:
    tail = (ended.stdout + ended.stderr).decode("utf-8", "replace")[-TAIL_CHARS:]
    refused, problems = tuple(proxy.record.refused), proxy.record.problems
    return SetupFailed(setup, what_failed(ended.reason, ended.exit_code, refused, problems), tail, refused)


def _in_outbox(outbox: Path) -> Iterator[tuple[str, Path]]:
    """None that is reached through a link: a folder of the host would be moved here, and shown to boxes."""
    for place in IN_HOME:
        path = outbox / place
        if path.is_dir() and path.resolve() == outbox.resolve() / place:
            yield f"{HOME_PREFIX}{place}", path


def _in_tree(tree: Path, tracked: Collection[str]) -> Iterator[tuple[str, Path]]:
    """Real folders only, and none that is reached through a link."""
    for parent, folders, _ in os.walk(tree):
        for name in sorted(folders):
            path = Path(parent, name)
            rel = path.relative_to(tree).as_posix()
            if path.is_symlink() or name == ".git":
                folders.remove(name)
            elif is_result(rel, tracked):
                folders.remove(name)
                yield rel, path
