"""The two halves of a change: its test files, and everything else."""

import asyncio
from collections.abc import Sequence

from reknit.core.gate.scope import Scope
from reknit.core.gate.test_evidence import paths_of_tests
from reknit.core.repository.change import Change
from reknit.core.repository.paths import is_test_file
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.entry_files import with_link_targets
from reknit.core.text.work_limits import GATE_LIMITS, Unfinished
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.gate_check import facts_of_change


async def halves_of_change(
    services: Services, spec: RunSpec, sides: tuple[str, str], test_files: Sequence[str], *, at: float
) -> tuple[str, str]:
    """Return the first of `sides` with what the second changes except test files, and with only these.

    `test_files`: in which a test was seen on base. A test file that a person allowed to change is part of the fix: the
    old one is what was red.
    """
    base, after = sides
    repository = services.workspace(spec).repository
    change = await asyncio.to_thread(repository.change, base, after)
    links = await asyncio.to_thread(repository.links, base)
    facts = await facts_of_change(services, repository, base, change)
    scope = Scope(with_link_targets(test_files, links), "", 0, 0, spec.tests.runner, facts=facts)
    found = await services.calls.run(GATE_LIMITS, paths_of_tests, change, scope)
    paths = filter(is_test_file, change.paths) if isinstance(found, Unfinished) else found
    tests = {path for path in paths if not spec.waivers.waiver_for("protected-test", path)}

    def half(*, of_tests: bool) -> str:
        files = tuple(file for file in change.files if (file.path in tests) == of_tests)
        return repository.commit(base, Change(files), "half of a change, for verification\n", at=at) if files else base

    return await asyncio.to_thread(half, of_tests=False), await asyncio.to_thread(half, of_tests=True)
