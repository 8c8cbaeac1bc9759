"""Asks a test command that is judged by its exit code whether it would have noticed a failure."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from reknit.core.check_answer import CheckAnswer
from reknit.core.runs.spec import RunSpec
from reknit.core.tamper_checks.exit_code import canary_places, failing_copies
from reknit.core.tamper_checks.names import Names
from reknit.core.testing.command import TestCommand
from reknit.core.testing.entry_files import started_files
from reknit.core.testing.projects.merge import in_repository
from reknit.core.testing.report import WHOLE_SUITE, TestReport
from reknit.workflows.runtime.services import Services


async def ask_exit_code(
    services: Services,
    spec: RunSpec,
    project: TestCommand,
    fixed: tuple[str, float],
    names: Names,
    run: Callable[[str, str, Sequence[str]], Awaitable[TestReport]],
) -> CheckAnswer:
    """One more run of the command, with failures of ours at the end of its test files.

    `fixed`: the commit with the fix, and when it was made.
    """
    commit = await asyncio.to_thread(_with_failures, services, spec, project, fixed, names)
    if not commit:
        return CheckAnswer("canaries", "no verdict", "no test file was found in which a failure could be placed")
    test = in_repository(project, WHOLE_SUITE)
    seen = (await run("canary", commit, [test])).result_of(test)
    if seen == "failed":
        return CheckAnswer("canaries", "held", "the command fails when its test files do")
    return CheckAnswer("canaries", "no verdict", "the command does not fail when its test files do")


def _with_failures(
    services: Services, spec: RunSpec, project: TestCommand, fixed: tuple[str, float], names: Names
) -> str:
    repository, (rev, at) = services.workspace(spec).repository, fixed
    prefix = f"{project.folder}/" if project.folder else ""
    tracked = [path for path in repository.paths(rev) if path.startswith(prefix)]
    started = started_files(project, repository.read(rev, project.manifest), tracked)
    files = {path: repository.read(rev, path) for path in canary_places(tracked, started)}
    copies = failing_copies(files, names)
    return repository.commit_for_tests(rev, copies, at=at) if copies else ""
