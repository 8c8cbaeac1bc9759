"""Work trees prepared with the user's setup command, and the repository's tests run in them."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import PurePath

from reknit.core.box import BoxView, Command, CommandLimits
from reknit.core.errors import Unavailable, UsageProblem
from reknit.core.runs.spec import RunSpec, attempt_ref
from reknit.core.setup.results import all_folders, not_covered
from reknit.core.setup.run_text import gone_text
from reknit.core.setup.values import SetupFailed
from reknit.core.testing.command import TestCommand
from reknit.core.testing.command_line import as_typed
from reknit.core.testing.projects.merge import in_project, merge
from reknit.core.testing.report import TestReport
from reknit.ports.box import Box
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.project_setup import hold_layers


async def prepare_folder(services: Services, spec: RunSpec, name: str, rev: str) -> BoxView | TestReport:
    """A fresh tree with what the set-ups installed, in which `workspace.setup` has run; a report with status `error` if
    that failed. `close_folder` ends its use.

    Raises `Unavailable` if a layer is gone and cannot be built again: that says nothing about the tree.
    """
    layers = await hold_layers(services, spec, f"{spec.run_id}/{name}")
    if isinstance(layers, SetupFailed):
        raise Unavailable("setup", gone_text(layers, spec.run_id))
    view = await asyncio.to_thread(services.workspace(spec).open_tree, name, rev)
    folders = all_folders(layers)
    view = replace(view, layers=folders, carry=not_covered(view.carry, folders))
    return await run_workspace_setup(services.box(spec.box), spec, view) or view


async def run_workspace_setup(box: Box, spec: RunSpec, view: BoxView) -> TestReport | None:
    """None: it has run, or there is none."""
    if not spec.workspace.setup:
        return None
    limits = CommandLimits(wall_s=spec.limits.test_wall_s, idle_s=spec.limits.test_wall_s)
    ended = await box.run(view, Command(("sh", "-c", spec.workspace.setup), limits=limits))
    if ended.reason == "exit" and ended.exit_code == 0:
        return None
    why = f"workspace.setup failed ({ended.reason}, exit code {ended.exit_code})"
    tail = (ended.stdout + ended.stderr).decode("utf-8", "replace")[-4000:]
    return TestReport("error", spec.evidence, exit_code=ended.exit_code, output_tail=tail, why=why)


async def close_folder(services: Services, spec: RunSpec, name: str) -> None:
    await asyncio.to_thread(services.workspace(spec).close, name)
    await asyncio.to_thread(services.setups.release, f"{spec.run_id}/{name}")


async def attempt_view(services: Services, spec: RunSpec, number: int, head: str) -> BoxView:
    workspace = services.workspace(spec)
    await asyncio.to_thread(workspace.ready, head)
    await asyncio.to_thread(workspace.repository.keep, attempt_ref(spec.run_id, number, "before"), head)
    view = await prepare_folder(services, spec, f"attempt-{number}", head)
    if isinstance(view, TestReport):
        raise UsageProblem("setup", view.why, help=f"it printed: {view.output_tail[-300:]}")
    return replace(view, services=spec.services)


async def run_tests(
    services: Services, spec: RunSpec, name: str, rev: str, only: Sequence[str] = (), skip: Collection[str] = ()
) -> TestReport:
    """Always in a new tree: a same-second edit can leave a test on old bytecode.

    `only`: these tests; `skip`: commands of projects that are not run.
    """
    try:
        view = await prepare_folder(services, spec, name, rev)
        if isinstance(view, TestReport):
            report = view
        else:
            projects = [project for project in spec.projects if as_typed(project) not in skip]
            report = await _run_projects(services, spec, projects, view, only)
        # Before the tree is removed, and with it what may have filled the disk.
        services.check_surroundings(spec, ran_out_of_space=report.ran_out_of_space)
        return report
    finally:
        for folder in (name, f"{name}.out"):
            await close_folder(services, spec, folder)


async def _run_projects(
    services: Services, spec: RunSpec, projects: Sequence[TestCommand], view: BoxView, only: Sequence[str]
) -> TestReport:
    """One project after the other; those that have none of the chosen tests are left out."""
    box, parts = services.box(spec.box), list[tuple[TestCommand, TestReport]]()
    for project in projects:
        chosen = in_project(project, only, spec.projects)
        if chosen or not only:
            outbox = await asyncio.to_thread(services.workspace(spec).folder, f"{PurePath(view.tree).name}.out")
            wall_s = spec.limits.test_wall_s
            report = await services.tests.run(project, view, box, only=chosen, outbox=outbox, wall_s=wall_s)
            parts.append((project, report))
    return merge(parts) if parts else TestReport("error", spec.evidence, why="no project has the chosen tests")
