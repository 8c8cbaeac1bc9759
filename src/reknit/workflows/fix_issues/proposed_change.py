"""A change of `fix issues` as the gate judges it."""

import asyncio

from reknit.core.fix_issues.decision import addressed
from reknit.core.fix_issues.progress import BacklogProgress
from reknit.core.gate.syntax.code_change import code_paths
from reknit.core.repository.change import Change
from reknit.core.runs.spec import RunSpec
from reknit.core.text.work_limits import GATE_LIMITS, Unfinished
from reknit.workflows.fix_issues.saved_issues import kept_issues
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.gate_check import ProposedChange
from reknit.workflows.shared.tests_check import known_tests

NO_BASELINE = "the test results before the change are no longer known"


def whole_change(
    services: Services, spec: RunSpec, after: str, unsafe: tuple[tuple[str, str], ...] = ()
) -> ProposedChange:
    """It may be as large as all batches together, also those that tools have made unnecessary."""
    target = spec.issues_target
    batches = max(len(target.batches), -(-len(target.issues) // target.limits.batch_issues))
    return ProposedChange(spec.base, after, unsafe, test_files(services, spec), batches=batches)


def test_files(services: Services, spec: RunSpec) -> tuple[str, ...]:
    before = known_tests(services, spec, spec.base)
    return before.test_files if before else ()


async def read_code_paths(services: Services, change: Change) -> tuple[str, ...]:
    """Return the files that differ in more than comments and blanks; a change that cannot be read has none."""
    paths = await services.calls.run(GATE_LIMITS, code_paths, change)
    return () if isinstance(paths, Unfinished) else paths


async def read_addressed(services: Services, spec: RunSpec, progress: BacklogProgress) -> tuple[int, ...]:
    """Return the issues that the whole change addresses."""
    workspace, files = services.workspace(spec), [(issue.id, issue.path) for issue in kept_issues(services, spec)]
    await asyncio.to_thread(workspace.ready, spec.base, progress.head)
    change = await asyncio.to_thread(workspace.repository.change, spec.base, progress.head)
    return addressed(progress, spec.issues_target, files, change.paths, await read_code_paths(services, change))
