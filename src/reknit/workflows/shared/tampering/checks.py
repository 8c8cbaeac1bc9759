"""Runs the tamper checks of a fix whose tests turned green, and says what they answered."""

import asyncio
import posixpath
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.check_answer import CheckAnswer, together
from reknit.core.runs.spec import RunSpec
from reknit.core.tamper_checks.checks import Harness, MadeChecks, Targets, TargetTest
from reknit.core.tamper_checks.files_of_tests import files_of_tests
from reknit.core.tamper_checks.harness_output import HarnessResult, read_harness_output
from reknit.core.tamper_checks.judge import (
    HarnessRuns,
    is_as_it_must_be,
    judge_canaries,
    judge_harness,
    judge_twins,
    twins_to_run_alone,
    unmade,
)
from reknit.core.tamper_checks.make import make_checks
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.runs import HARNESS_RUNS, MOST_ALONE, MOST_PROJECTS, harness_wall_s, label_of
from reknit.core.tamper_checks.surroundings import surroundings
from reknit.core.tamper_checks.target import chosen_targets, targets_of
from reknit.core.testing.command import TestCommand
from reknit.core.testing.made_runs import MadeRun
from reknit.core.testing.projects.find import project_of
from reknit.core.testing.projects.merge import in_project, in_repository, only_of
from reknit.core.testing.report import TestReport
from reknit.core.text.work_limits import TEST_REPORT_LIMITS, Unfinished
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.tampering.exit_code import ask_exit_code
from reknit.workflows.shared.work_folders import close_folder, prepare_folder

Run = Callable[[str, str, Sequence[str]], Awaitable[TestReport]]
"""(label, revision, tests) -> what was seen."""
Ran = Callable[[MadeRun], None]
"""Told of each call of the second harness: it is a part of what the proof took."""


@dataclass(frozen=True)
class FixToCheck:
    name: str
    """Of the attempt, for work folders and documents."""
    base: str
    """A commit on which the tests are red."""
    fixed: str
    """The same with the fix, but without the tests that it adds."""
    tests: tuple[str, ...]
    """Those that turned green."""
    asked: tuple[str, ...]
    """Those of them that the attempt was about."""
    red: TestReport
    """What their runner said of them without the fix."""
    at: float


async def ask_tamper_checks(
    services: Services, spec: RunSpec, fix: FixToCheck, run: Run, ran: Ran
) -> tuple[CheckAnswer, ...]:
    """One answer per check; of several projects, the worst of each."""
    found = dict.fromkeys(project_of(test, spec.projects) for test in fix.tests)
    projects = [project for project in found if project]
    answers = [
        await _ask_for_project(services, spec, fix, project, _numbered(run, number), ran=ran)
        for number, project in enumerate(projects[:MOST_PROJECTS])
    ]
    if len(projects) > MOST_PROJECTS:
        answers.append(unmade(f"tests of more than {MOST_PROJECTS} projects turned green"))
    return together(answers)


def _numbered(run: Run, number: int) -> Run:
    """Each run is saved by its label."""
    return lambda label, rev, only: run(label_of(label, number), rev, only)


async def _ask_for_project(
    services: Services, spec: RunSpec, fix: FixToCheck, project: TestCommand, run: Run, *, ran: Ran
) -> tuple[CheckAnswer, ...]:
    names = Names(f"{_seed(services, spec, fix.name)}/{project.folder}")
    if project.evidence == "exit code":
        fixed = (fix.fixed, fix.at)
        return (await ask_exit_code(services, spec, project, fixed, names, run),)
    tests, asked = (in_project(project, each, spec.projects) for each in (fix.tests, fix.asked))
    red = only_of(project, fix.red, spec.projects)
    chosen = chosen_targets(tests, asked, Names(f"{_seed(services, spec, 'targets')}/{project.folder}"))
    targets = targets_of(chosen, red.files, red.messages)
    with_fix = await _made(services, spec, project, targets, fix.fixed, names)
    without = await _made(services, spec, project, targets, fix.base, names)
    if isinstance(with_fix, Unfinished) or isinstance(without, Unfinished):
        return unmade("reading the tests took too long")
    probed = _Sides(services, spec, fix, project, run, ran)
    canaries_and_twins = await probed.ask(with_fix, without)
    return (*canaries_and_twins, await probed.call(with_fix, without, targets, names.nonce, len(tests)))


def _seed(services: Services, spec: RunSpec, name: str) -> str:
    """Random, so that no change can know the names; saved, so that a resumed run makes the same checks."""
    document = f"check-seed-{name}"
    seed = services.ledger.document(spec.run_id, document)
    if not seed:
        seed = secrets.token_hex(16)
        services.ledger.put_document(spec.run_id, document, seed)
    return seed


async def _made(
    services: Services, spec: RunSpec, project: TestCommand, targets: Sequence[TargetTest], rev: str, names: Names
) -> MadeChecks | Unfinished:
    given = await asyncio.to_thread(_read, services, spec, project, targets, rev)
    return await services.calls.run(TEST_REPORT_LIMITS, make_checks, given, names)


def _read(services: Services, spec: RunSpec, project: TestCommand, targets: Sequence[TargetTest], rev: str) -> Targets:
    repository, prefix = services.workspace(spec).repository, f"{project.folder}/" if project.folder else ""
    tracked = tuple(path.removeprefix(prefix) for path in repository.paths(rev) if path.startswith(prefix))
    named = files_of_tests(project.runner, [target.id for target in targets], tracked)
    wanted = surroundings((*named, *(target.file for target in targets)), tracked)
    files = {path: repository.read(rev, prefix + path) for path in wanted if path in tracked}
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

    async def ask(self, with_fix: MadeChecks, without: MadeChecks) -> tuple[CheckAnswer, CheckAnswer]:
        fixed = await self._probed("probes", self.fix.fixed, with_fix)
        base = None
        if fixed.status != "error" and not is_as_it_must_be(with_fix, fixed):
            base = await self._probed("base-probes", self.fix.base, without)
        alone = {
            probe: (await self._probed(f"alone-{number}", self.fix.fixed, with_fix, (probe,))).result_of(probe)
            for number, probe in enumerate(twins_to_run_alone(with_fix, fixed, base)[:MOST_ALONE])
        }
        red = {probe: result for probe, result in alone.items() if result == "failed"}
        fixed = replace(fixed, results={**fixed.results, **red})
        return judge_canaries(with_fix, fixed, base), judge_twins(with_fix, fixed, base)

    async def _probed(self, label: str, rev: str, made: MadeChecks, only: Sequence[str] = ()) -> TestReport:
        if not made.probes:
            return TestReport("error", "junit", why="there are no probes")
        commit = await asyncio.to_thread(self._commit, rev, made.probe_files)
        ids = [in_repository(self.project, probe) for probe in only or [each.id for each in made.probes]]
        report = await self.run(label, commit, ids)
        return only_of(self.project, report, self.spec.projects)

    async def call(
        self, with_fix: MadeChecks, without: MadeChecks, targets: Sequence[TargetTest], nonce: str, repaired: int
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
        """What it saw, and whether it was started and ended by itself."""
        commit = await asyncio.to_thread(self._commit, rev, {**dict.fromkeys(harness.hidden), **harness.files})
        name = f"{self.fix.name}-{label}"
        longest_s = harness_wall_s(self.fix.red.seconds, is_built=harness.unbuilt_exit is not None)
        wall_s = min(self.spec.limits.test_wall_s, longest_s)
        try:
            view = await prepare_folder(self.services, self.spec, name, commit)
            if isinstance(view, TestReport):
                return {}, False
            box = self.services.box(self.spec.box)
            ended = await self.services.tests.call(self.project, view, box, harness, wall_s=wall_s)
            has_run = ended.reason == "exit" and ended.exit_code != harness.unbuilt_exit
            results = read_harness_output(ended.stdout, nonce)
            self.ran(MadeRun(HARNESS_RUNS[label], len(results), round(ended.seconds, 2), self.services.clock()))
            return results, has_run
        finally:
            await close_folder(self.services, self.spec, name)

    def _commit(self, rev: str, files: Mapping[str, str | None]) -> str:
        if not files:
            return rev
        placed = {posixpath.join(self.project.folder, path): text for path, text in files.items()}
        return self.services.workspace(self.spec).repository.commit_for_tests(rev, placed, at=self.fix.at)
