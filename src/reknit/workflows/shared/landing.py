"""Lands a proven commit in the user's repository, and writes the receipt of a fix."""

import asyncio

from reknit.core.errors import Unavailable, UsageProblem
from reknit.core.gate.verdict import GateVerdict
from reknit.core.runs.outage_text import not_landed
from reknit.core.runs.receipt import LandedFix, receipt_of
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services


async def land(services: Services, spec: RunSpec, commit: str) -> None:
    """If it fails, offers the fix as a patch and parks the run."""
    workspace = services.workspace(spec)
    try:
        await asyncio.to_thread(workspace.repository.land, spec.repository, commit, spec.branch)
    except UsageProblem as problem:
        patch = await asyncio.to_thread(workspace.keep_patch, "proven.patch", spec.base, commit)
        raise Unavailable(problem.name, not_landed(problem, patch, spec.branch), help=problem.help) from problem


def write_receipt(services: Services, spec: RunSpec, gate: GateVerdict, fix: LandedFix) -> None:
    tree = services.workspace(spec).repository.tree_of(fix.commit)
    services.ledger.receipt(spec.run_id, receipt_of(fix, tree, spec, gate))
