"""The tests of one commit, run in fresh trees; a tree that was looked at once is not run again."""

import asyncio
from dataclasses import replace

from reknit.core.checks import tests as tests_seen
from reknit.core.checks.status import TestsSeen
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.saved_values import keep, kept
from reknit.workflows.shared.work_folders import test


async def look_at_tests(services: Services, spec: RunSpec, name: str, commit: str, errors: int = 0) -> TestsSeen:
    """`errors`: looks before that saw nothing; such a look is made again."""
    await asyncio.to_thread(services.workspace(spec).ready, commit)
    if known := known_tests(services, spec, commit, errors):
        return replace(known, seconds=0.0)
    whole = await test(services, spec, name, commit)
    again = await test(services, spec, f"{name}-again", commit) if whole.failed else None
    return keep(services, spec, _name(services, spec, commit), tests_seen.settle(whole, again), errors)


def known_tests(services: Services, spec: RunSpec, commit: str, errors: int = 0) -> TestsSeen | None:
    found = kept(services, spec, _name(services, spec, commit), errors)
    return found if isinstance(found, TestsSeen) else None


def _name(services: Services, spec: RunSpec, commit: str) -> str:
    return f"tests-{services.workspace(spec).repository.tree_of(commit)}"
