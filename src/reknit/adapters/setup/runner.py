"""Runs a project's set-up in a box whose only way out is the registry proxy, and stores the result as a layer."""

import asyncio
import contextlib
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reknit.adapters.files.folders import discard
from reknit.adapters.process import find_program
from reknit.adapters.setup.client_settings import make_box_settings
from reknit.adapters.setup.layer_store import LayerStore, NewLayer
from reknit.adapters.setup.upstream import Upstreams
from reknit.core.box import Command, CommandLimits, CommandResult
from reknit.core.setup.inputs import list_programs
from reknit.core.setup.layers import HOME_PREFIX, IN_HOME, MAX_FOLDERS, Layer, Setup, SetupFailed, is_result
from reknit.core.setup.run_text import explain_failure, format_store_problem, format_too_large, format_too_many
from reknit.ports.box import Box, SetupOrder

if TYPE_CHECKING:
    from reknit.adapters.setup.proxy import SetupProxy

TAIL_CHARS = 4000


class SetupRunner:
    """Implements `ports.ProjectSetups`."""

    def __init__(self, store: LayerStore, environment: Mapping[str, str]) -> None:
        self._store, self._environment = store, environment

    def toolchain(self, setup: Setup) -> Sequence[str]:
        return [self._identify_program(name) for name in list_programs(setup.command)]

    def _identify_program(self, name: str) -> str:
        """Identify a program by its file: nothing is executed, and another version is another file."""
        program = find_program(name, self._environment.get("PATH"))
        if not program:
            return f"{name} missing"
        real = os.path.realpath(program)
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
        new = stack.enter_context(self._store.start_build(name))
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
        for entry in order.view.copied:  # copies of what the user has installed would mix with what the set-up installs
            discard(Path(order.view.tree, entry))
        # imported late: it loads cryptography, and most runs have no set-up
        from reknit.adapters.setup.proxy import SetupAuthority, SetupProxy

        authority = SetupAuthority()
        settings = make_box_settings(order.setup.command, self._environment, authority.pem)
        proxy = SetupProxy(settings.registries, Upstreams(self._environment, settings.certificates), authority)
        view = replace(
            order.view, carry=(), copied=(), programs=(*order.view.programs, *list_programs(order.setup.command))
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
            result = await box.run(view, command, proxy)
        if result.reason != "exit" or result.exit_code != 0:
            return _explain_failure(order.setup, result, proxy)
        return await asyncio.to_thread(self._store_layer, order, tuple(proxy.record.refused))

    def _store_layer(self, order: SetupOrder, refused: Sequence[str]) -> SetupFailed | None:
        try:
            folders = dict(_find_in_tree(Path(order.view.tree), order.tracked_folders))
            folders |= dict(_find_in_outbox(Path(order.outbox)))
            if len(folders) > MAX_FOLDERS:
                return SetupFailed(order.setup, format_too_many(len(folders)))
            excess = self._new.keep(folders, refused)
        except OSError as problem:  # a path that is too long, a full disk
            return SetupFailed(order.setup, format_store_problem(problem.strerror or str(problem)))
        if excess:
            return SetupFailed(order.setup, format_too_large(excess))
        self._store.trim(but=order.layer)
        return None


def _explain_failure(setup: Setup, result: CommandResult, proxy: "SetupProxy") -> SetupFailed:
    tail = (result.stdout + result.stderr).decode("utf-8", "replace")[-TAIL_CHARS:]
    refused, problems = tuple(proxy.record.refused), proxy.record.problems
    return SetupFailed(setup, explain_failure(result.reason, result.exit_code, refused, problems), tail, refused)


def _find_in_outbox(outbox: Path) -> Iterator[tuple[str, Path]]:
    """Yield folders of the outbox. A link is left out: it would publish a folder of the host."""
    for place in IN_HOME:
        path = outbox / place
        if path.is_dir() and path.resolve() == outbox.resolve() / place:
            yield f"{HOME_PREFIX}{place}", path


def _find_in_tree(tree: Path, tracked: Collection[str]) -> Iterator[tuple[str, Path]]:
    """Yield installed folders of the tree, without following links."""
    for parent, folders, _ in os.walk(tree):
        for name in sorted(folders):
            path = Path(parent, name)
            rel = path.relative_to(tree).as_posix()
            if path.is_symlink() or name == ".git":
                folders.remove(name)
            elif is_result(rel, tracked):
                folders.remove(name)
                yield rel, path
