"""Runs the gate on a change, outside this process: it reads what an agent wrote."""

import asyncio
from dataclasses import dataclass, replace

from reknit.core.gate import judge, refuse_unread
from reknit.core.gate.scope import Scope
from reknit.core.gate.verdict import GateVerdict
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.detect import project_root
from reknit.core.testing.entry_files import started_files, with_link_targets
from reknit.core.testing.projects import project_of
from reknit.core.text.work_limits import GATE_LIMITS, Unfinished
from reknit.workflows.runtime.services import Services


@dataclass(frozen=True)
class ProposedChange:
    """What an agent left, on top of the commit it is compared with."""

    base: str
    after: str
    unsafe: tuple[tuple[str, str], ...] = ()
    test_files: tuple[str, ...] = ()
    """Files in which a test was seen before the change."""
    failing_file: str = ""
    """Limits the change to that file's project; empty: the whole repository."""
    batches: int = 1
    """It may be as large as so many changes."""


async def ask_gate(services: Services, spec: RunSpec, proposed: ProposedChange) -> GateVerdict:
    """A gate that could not finish counts as a refusal."""
    repository, base = services.workspace(spec).repository, proposed.base
    tests = project_of(proposed.failing_file, spec.projects) or spec.tests
    change = await asyncio.to_thread(repository.change, base, proposed.after)
    tracked = await asyncio.to_thread(repository.paths, base)
    links = await asyncio.to_thread(repository.links, base)
    scope = Scope(
        findings_files=with_link_targets(proposed.test_files, links),
        project_root=project_root(proposed.failing_file, tracked) if proposed.failing_file else "",
        changed_files=spec.limits.changed_files * proposed.batches,
        changed_lines=spec.limits.changed_lines * proposed.batches,
        runner=tests.runner,
        started_files=tuple(
            path
            for project in spec.projects
            for path in started_files(project, repository.read(base, project.manifest), tracked)
        ),
    )
    change = replace(change, unsafe=proposed.unsafe)
    verdict = await services.calls.run(GATE_LIMITS, judge, change, scope)
    return refuse_unread(change, scope, verdict) if isinstance(verdict, Unfinished) else verdict
