"""Runs the tamper checks of a fix whose tests turned green, and returns their answers."""

import asyncio
import posixpath
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.check_answer import CheckAnswer, merge_answers
from reknit.core.languages.tamper_checks import (
    choose_canary_files,
    make_checks,
    make_failing_copies,
    make_unreadable_copy,
)
from reknit.core.projects.find import find_project
from reknit.core.projects.merge import extract_project, to_project_ids, to_repository_id
from reknit.core.runs.spec import RunSpec
from reknit.core.tamper_checks.checks import (
    HARNESS_RUNS,
    MAX_PROJECTS,
    MAX_REPEATED_TWINS,
    Harness,
    Names,
    TamperChecks,
    Targets,
    TargetTest,
    build_label,
    build_targets,
    choose_targets,
    compute_harness_wall_s,
)
from reknit.core.tamper_checks.failures import HarnessResult, read_harness_output
from reknit.core.tamper_checks.files import find_test_files, list_surrounding_files
from reknit.core.tamper_checks.judge import (
    HarnessRuns,
    answer_without_checks,
    are_probes_as_expected,
    choose_twins_to_repeat,
    judge_canaries,
    judge_harness,
    judge_twins,
)
from reknit.core.testing.command import TestCommand
from reknit.core.testing.entry_files import find_started_files
from reknit.core.testing.proof import RunRecord
from reknit.core.testing.report import WHOLE_SUITE, TestReport
from reknit.core.text.untrusted_input import TEST_REPORT_LIMITS, UnfinishedWork
from reknit.ports.repository import TrustedRepository
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.work_folders import close_folder, prepare_folder


async def check_exit_code(
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
    test = to_repository_id(project, WHOLE_SUITE)
    copies = await asyncio.to_thread(_failing_copies, repository, project, rev, names)

    async def has_failed(label: str, files: Mapping[str, str]) -> bool:
        commit = await asyncio.to_thread(repository.commit_for_tests, rev, files, at=at)
        return (await run(label, commit, [test])).find_result(test) == "failed"

    if not copies:
        return CheckAnswer("canaries", "no verdict", "no test file was found in which a failure could be placed")
    if not await has_failed("canary", copies):
        return CheckAnswer("canaries", "no verdict", "the command does not fail when its test files do")
    for number, (path, text) in enumerate(copies.items()) if len(copies) > 1 else ():
        if await has_failed(f"canary-{number}", {path: text}):
            continue
        if await has_failed(f"unreadable-{number}", {path: make_unreadable_copy(names)}):
            return CheckAnswer("canaries", "no verdict", f"the command does not fail when {path} does")
    return CheckAnswer("canaries", "held", "the command fails when its test files do")


def _failing_copies(repository: TrustedRepository, project: TestCommand, rev: str, names: Names) -> dict[str, str]:
    prefix = f"{project.folder}/" if project.folder else ""
    tracked = [path for path in repository.paths(rev) if path.startswith(prefix)]
    started = find_started_files(project, repository.read(rev, project.manifest), tracked)
    return make_failing_copies(
        {path: repository.read(rev, path) for path in choose_canary_files(tracked, started)}, names
    )


Run = Callable[[str, str, Sequence[str]], Awaitable[TestReport]]
"""(label, revision, tests) -> what was seen."""
Ran = Callable[[RunRecord], None]
"""Told of each call of the second harness: it is a part of what the proof took."""


@dataclass(frozen=True)
class FixToCheck:
    """A proven fix, and the tests that it turned green."""

    name: str
    """Name of the attempt, for work folders and documents."""
    base: str
    """A commit on which the tests are red."""
    fixed: str
    """Commit with the fix, but without the tests that it adds."""
    tests: tuple[str, ...]
    """Tests that turned green."""
    asked: tuple[str, ...]
    """Tests among them that the attempt was about."""
    red: TestReport
    """Report of the tests without the fix."""
    at: float


async def ask_tamper_checks(
    services: Services, spec: RunSpec, fix: FixToCheck, run: Run, ran: Ran
) -> tuple[CheckAnswer, ...]:
    """Return one answer per check; of several projects, the worst of each."""
    projects_with_tests = dict.fromkeys(find_project(test, spec.projects) for test in fix.tests)
    projects = [project for project in projects_with_tests if project]
    answers = [
        await _ask_for_project(services, spec, fix, project, _numbered(run, number), ran=ran)
        for number, project in enumerate(projects[:MAX_PROJECTS])
    ]
    if len(projects) > MAX_PROJECTS:
        answers.append(answer_without_checks(f"tests of more than {MAX_PROJECTS} projects turned green"))
    return merge_answers(answers)


def _numbered(run: Run, number: int) -> Run:
    """Add the project's number to the labels, under which runs are saved."""
    return lambda label, rev, only: run(build_label(label, number), rev, only)


async def _ask_for_project(
    services: Services, spec: RunSpec, fix: FixToCheck, project: TestCommand, run: Run, *, ran: Ran
) -> tuple[CheckAnswer, ...]:
    names = Names(f"{_seed(services, spec, fix.name)}/{project.folder}")
    if project.evidence == "exit code":
        fixed = (fix.fixed, fix.at)
        return (await check_exit_code(services, spec, project, fixed, names, run),)
    tests, asked_tests = (to_project_ids(project, names, spec.projects) for names in (fix.tests, fix.asked))
    red = extract_project(project, fix.red, spec.projects)
    chosen_tests = choose_targets(tests, asked_tests, Names(f"{_seed(services, spec, 'targets')}/{project.folder}"))
    targets = build_targets(chosen_tests, red.files, red.messages)
    with_fix = await _make_checks(services, spec, project, targets, fix.fixed, names)
    without = await _make_checks(services, spec, project, targets, fix.base, names)
    if isinstance(with_fix, UnfinishedWork) or isinstance(without, UnfinishedWork):
        return answer_without_checks("reading the tests took too long")
    probed = _Sides(services, spec, fix, project, run, ran)
    canaries_and_twins = await probed.ask(with_fix, without)
    return (*canaries_and_twins, await probed.call(with_fix, without, targets, names.nonce, len(tests)))


def _seed(services: Services, spec: RunSpec, name: str) -> str:
    """Return a random seed, so that no change knows the names; saved, so that a resumed run makes the same checks."""
    document = f"check-seed-{name}"
    seed = services.ledger.document(spec.run_id, document)
    if not seed:
        seed = secrets.token_hex(16)
        services.ledger.put_document(spec.run_id, document, seed)
    return seed


async def _make_checks(
    services: Services, spec: RunSpec, project: TestCommand, targets: Sequence[TargetTest], rev: str, names: Names
) -> TamperChecks | UnfinishedWork:
    targets_and_files = await asyncio.to_thread(_read, services, spec, project, targets, rev)
    return await services.calls.run(TEST_REPORT_LIMITS, make_checks, targets_and_files, names)


def _read(services: Services, spec: RunSpec, project: TestCommand, targets: Sequence[TargetTest], rev: str) -> Targets:
    repository, prefix = services.workspace(spec).repository, f"{project.folder}/" if project.folder else ""
    tracked = tuple(path.removeprefix(prefix) for path in repository.paths(rev) if path.startswith(prefix))
    test_files = find_test_files(project.runner, [target.id for target in targets], tracked)
    paths = list_surrounding_files((*test_files, *(target.file for target in targets)), tracked)
    files = {path: repository.read(rev, prefix + path) for path in paths if path in tracked}
    return Targets(project.runner, tuple(targets), files, tracked)


@dataclass(frozen=True)
class _Sides:
    """Runs what the checks need on both sides of a fix."""

    services: Services
    spec: RunSpec
    fix: FixToCheck
    project: TestCommand
    run: Run
    ran: Ran

    async def ask(self, with_fix: TamperChecks, without: TamperChecks) -> tuple[CheckAnswer, CheckAnswer]:
        fixed = await self._probed("probes", self.fix.fixed, with_fix)
        base = None
        if fixed.status != "error" and not are_probes_as_expected(with_fix, fixed):
            base = await self._probed("base-probes", self.fix.base, without)
        alone = {
            probe: (await self._probed(f"alone-{number}", self.fix.fixed, with_fix, (probe,))).find_result(probe)
            for number, probe in enumerate(choose_twins_to_repeat(with_fix, fixed, base)[:MAX_REPEATED_TWINS])
        }
        red = {probe: result for probe, result in alone.items() if result == "failed"}
        fixed = replace(fixed, results={**fixed.results, **red})
        return judge_canaries(with_fix, fixed, base), judge_twins(with_fix, fixed, base)

    async def _probed(self, label: str, rev: str, checks: TamperChecks, only: Sequence[str] = ()) -> TestReport:
        if not checks.probes:
            return TestReport("error", "junit", why="there are no probes")
        commit = await asyncio.to_thread(self._commit, rev, checks.probe_files)
        ids = [to_repository_id(self.project, probe) for probe in only or [probe.id for probe in checks.probes]]
        report = await self.run(label, commit, ids)
        return extract_project(self.project, report, self.spec.projects)

    async def call(
        self, with_fix: TamperChecks, without: TamperChecks, targets: Sequence[TargetTest], nonce: str, repaired: int
    ) -> CheckAnswer:
        runs = HarnessRuns({}, {})
        if with_fix.harness and without.harness:
            base, _ = await self._called("base-harness", self.fix.base, without.harness, nonce)
            if base:
                fixed, has_run = await self._called("harness", self.fix.fixed, with_fix.harness, nonce)
                runs = HarnessRuns(base, fixed, has_died=has_run and not fixed)
        return judge_harness(with_fix, targets, runs, repaired)

    async def _called(
        self, label: str, rev: str, harness: Harness, nonce: str
    ) -> tuple[Mapping[str, HarnessResult], bool]:
        """Run the second harness. Returns its results, and whether it started and ended by itself."""
        commit = await asyncio.to_thread(self._commit, rev, {**dict.fromkeys(harness.hidden), **harness.files})
        name = f"{self.fix.name}-{label}"
        longest_s = compute_harness_wall_s(self.fix.red.seconds, is_built=harness.unbuilt_exit is not None)
        wall_s = min(self.spec.limits.test_wall_s, longest_s)
        try:
            view = await prepare_folder(self.services, self.spec, name, commit)
            if isinstance(view, TestReport):
                return {}, False
            box = self.services.box(self.spec.box)
            ended = await self.services.tests.call(self.project, view, box, harness, wall_s=wall_s)
            has_run = ended.reason == "exit" and ended.exit_code != harness.unbuilt_exit
            results = read_harness_output(ended.stdout, nonce)
            self.ran(RunRecord(HARNESS_RUNS[label], len(results), round(ended.seconds, 2), self.services.clock()))
            return results, has_run
        finally:
            await close_folder(self.services, self.spec, name)

    def _commit(self, rev: str, files: Mapping[str, str | None]) -> str:
        if not files:
            return rev
        placed = {posixpath.join(self.project.folder, path): text for path, text in files.items()}
        return self.services.workspace(self.spec).repository.commit_for_tests(rev, placed, at=self.fix.at)
