"""Work trees prepared with the user's setup command, and the repository's tests run in them."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import PurePath

from reknit.core.box import BoxView, Command, CommandLimits
from reknit.core.errors import UnavailableError, UsageError
from reknit.core.live.activity import TestCount
from reknit.core.projects.merge import merge_reports, to_project_ids
from reknit.core.runs.spec import RunSpec, name_attempt_ref
from reknit.core.setup.layers import SetupFailed, list_uncovered, merge_folders
from reknit.core.setup.run_text import format_lost_layer
from reknit.core.testing.command import TestCommand, to_command_line
from reknit.core.testing.report import TestReport
from reknit.ports.box import Box
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.activity import show_activity
from reknit.workflows.shared.project_setup import hold_layers


async def prepare_folder(services: Services, spec: RunSpec, name: str, rev: str) -> BoxView | TestReport:
    """Open a fresh tree with the layers of the set-ups, and run `workspace.setup` in it.

    Return a report with status `error` if the setup command failed. Call `close_folder` after use. Raise
    `UnavailableError` if a layer is gone and cannot be built again; the tree itself may be fine.
    """
    layers = await hold_layers(services, spec, f"{spec.run_id}/{name}")
    if isinstance(layers, SetupFailed):
        raise UnavailableError("setup", format_lost_layer(layers, spec.run_id))
    view = await asyncio.to_thread(services.workspace(spec).open_tree, name, rev)
    folders = merge_folders(layers)
    view = replace(view, layers=folders, carry=list_uncovered(view.carry, folders))
    return await run_workspace_setup(services.box(spec.box), spec, view) or view


async def run_workspace_setup(box: Box, spec: RunSpec, view: BoxView) -> TestReport | None:
    """Run `workspace.setup`. Return None if it succeeded or is not set, and a report with the reason if it failed."""
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
    """Remove the folder, and release the layers that it used."""
    await asyncio.to_thread(services.workspace(spec).close, name)
    await asyncio.to_thread(services.setups.release, f"{spec.run_id}/{name}")


async def open_attempt_folder(services: Services, spec: RunSpec, number: int, head: str) -> BoxView:
    """Open the tree in which an agent works, and keep the commit that it starts from."""
    workspace = services.workspace(spec)
    await asyncio.to_thread(workspace.ensure_commits, head)
    await asyncio.to_thread(workspace.repository.keep, name_attempt_ref(spec.run_id, number, "before"), head)
    view = await prepare_folder(services, spec, f"attempt-{number}", head)
    if isinstance(view, TestReport):
        raise UsageError("setup", view.why, help=f"it printed: {view.output_tail[-300:]}")
    return replace(view, services=spec.services)


async def run_tests(
    services: Services, spec: RunSpec, name: str, rev: str, only: Sequence[str] = (), skip: Collection[str] = (),
    *, keeps_folders: bool = False,
) -> TestReport:  # fmt: skip
    """Run tests in a new tree each time: a same-second edit can leave a test on old bytecode.

    `only`: these tests; `skip`: commands of projects that are not run. `keeps_folders`: after a report the caller
    calls `close_test_folders`, when nobody waits for it.
    """
    try:
        view = await prepare_folder(services, spec, name, rev)
        if isinstance(view, TestReport):
            report = view
        else:
            projects = [project for project in spec.projects if to_command_line(project) not in skip]
            report = await _run_projects(services, spec, projects, view, only)
        # This comes before the tree is removed, because its files may be what filled the disk.
        services.check_surroundings(spec, ran_out_of_space=report.ran_out_of_space)
        return report
    except BaseException:
        keeps_folders = False
        raise
    finally:
        if not keeps_folders:
            await close_test_folders(services, spec, name)


async def close_test_folders(services: Services, spec: RunSpec, name: str) -> None:
    """Remove what `run_tests` left. Idempotent."""
    for folder in (name, f"{name}.out"):
        await close_folder(services, spec, folder)


async def _run_projects(
    services: Services, spec: RunSpec, projects: Sequence[TestCommand], view: BoxView, only: Sequence[str]
) -> TestReport:
    """Run one project after the other; those without any of the chosen tests are left out."""
    box, parts = services.box(spec.box), list[tuple[TestCommand, TestReport]]()
    for project in projects:
        project_tests = to_project_ids(project, only, spec.projects)
        if project_tests or not only:
            outbox = await asyncio.to_thread(services.workspace(spec).folder, f"{PurePath(view.tree).name}.out")
            wall_s = spec.limits.test_wall_s
            count = TestCount()
            async with show_activity(services, spec, count.to_activity):
                report = await services.tests.run(
                    project, view, box, only=project_tests, outbox=outbox, wall_s=wall_s, on_results=count.add
                )
            parts.append((project, report))
    return merge_reports(parts) if parts else TestReport("error", spec.evidence, why="no project has the chosen tests")
