"""The tests of one commit, run in fresh trees; a tree that was tested is not tested again."""

import asyncio
from dataclasses import replace

from reknit.core.checks import tests as tests_check
from reknit.core.checks.status import TestsResult
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.saved_values import load_value, save_value
from reknit.workflows.shared.tree_facts import facts_of
from reknit.workflows.shared.work_folders import run_tests


async def run_tests_check(services: Services, spec: RunSpec, name: str, commit: str, errors: int = 0) -> TestsResult:
    """`errors`: how many earlier tries ended in an error; such a try is repeated."""
    await asyncio.to_thread(services.workspace(spec).ready, commit)
    if known := known_tests(services, spec, commit, errors):
        return replace(known, seconds=0.0)
    whole = await run_tests(services, spec, name, commit)
    again = await run_tests(services, spec, f"{name}-again", commit) if whole.failed else None
    red = tests_check.always_red(whole, again)
    facts = await asyncio.to_thread(facts_of, services, spec, commit, whole, red)
    seen = tests_check.with_unready_projects(tests_check.settle(whole, again, facts), spec.unready)
    return save_value(services, spec, _name(services, spec, commit), seen, errors)


def known_tests(services: Services, spec: RunSpec, commit: str, errors: int = 0) -> TestsResult | None:
    found = load_value(services, spec, _name(services, spec, commit), errors)
    return found if isinstance(found, TestsResult) else None


def _name(services: Services, spec: RunSpec, commit: str) -> str:
    return f"tests-{services.workspace(spec).repository.tree_of(commit)}"
