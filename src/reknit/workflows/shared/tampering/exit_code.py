"""Asks a test command that is judged by its exit code whether it would have noticed a failure."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from reknit.core.check_answer import CheckAnswer
from reknit.core.runs.spec import RunSpec
from reknit.core.tamper_checks.exit_code import canary_places, failing_copies, unreadable_copy
from reknit.core.tamper_checks.names import Names
from reknit.core.testing.command import TestCommand
from reknit.core.testing.entry_files import started_files
from reknit.core.testing.projects.merge import in_repository
from reknit.core.testing.report import WHOLE_SUITE, TestReport
from reknit.ports.repository import TrustedRepository
from reknit.workflows.runtime.services import Services


async def ask_exit_code(
    services: Services,
    spec: RunSpec,
    project: TestCommand,
    fixed: tuple[str, float],
    names: Names,
    run: Callable[[str, str, Sequence[str]], Awaitable[TestReport]],
) -> CheckAnswer:
    """Run the command again with failures of ours at the end of its test files: of all, then of each alone.

    One file that fails would hide another whose program the tested code has ended as a success.
    `fixed`: the commit with the fix, and when it was made.
    """
    repository, (rev, at) = services.workspace(spec).repository, fixed
    test = in_repository(project, WHOLE_SUITE)
    copies = await asyncio.to_thread(_failing_copies, repository, project, rev, names)

    async def has_failed(label: str, files: Mapping[str, str]) -> bool:
        commit = await asyncio.to_thread(repository.commit_for_tests, rev, files, at=at)
        return (await run(label, commit, [test])).result_of(test) == "failed"

    if not copies:
        return CheckAnswer("canaries", "no verdict", "no test file was found in which a failure could be placed")
    if not await has_failed("canary", copies):
        return CheckAnswer("canaries", "no verdict", "the command does not fail when its test files do")
    for number, (path, text) in enumerate(copies.items()) if len(copies) > 1 else ():
        if await has_failed(f"canary-{number}", {path: text}):
            continue
        if await has_failed(f"unreadable-{number}", {path: unreadable_copy(names)}):
            return CheckAnswer("canaries", "no verdict", f"the command does not fail when {path} does")
    return CheckAnswer("canaries", "held", "the command fails when its test files do")


def _failing_copies(repository: TrustedRepository, project: TestCommand, rev: str, names: Names) -> dict[str, str]:
    prefix = f"{project.folder}/" if project.folder else ""
    tracked = [path for path in repository.paths(rev) if path.startswith(prefix)]
    started = started_files(project, repository.read(rev, project.manifest), tracked)
    return failing_copies({path: repository.read(rev, path) for path in canary_places(tracked, started)}, names)
