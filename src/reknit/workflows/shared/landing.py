"""Puts a proven commit into the user's repository; if that fails, offers the fix as a patch and parks the run."""

import asyncio

from reknit.core.errors import Unavailable, UsageProblem
from reknit.core.runs.outage_text import not_landed
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services


async def land(services: Services, spec: RunSpec, commit: str) -> None:
    workspace = services.workspace(spec)
    try:
        await asyncio.to_thread(workspace.repository.land, spec.repository, commit, spec.branch)
    except UsageProblem as problem:
        patch = await asyncio.to_thread(workspace.keep_patch, "proven.patch", spec.base, commit)
        raise Unavailable(problem.name, not_landed(problem, patch, spec.branch), help=problem.help) from problem
