"""Hold-outs: test cases by an agent of another vendor that has not seen the fix, and the verdict on the fix."""

import posixpath
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from reknit.core.agent_reports.values import HeldOutCase
from reknit.core.agents.call import AgentSettings
from reknit.core.fix_tests.task import FixTests
from reknit.core.projects.find import find_project
from reknit.core.projects.merge import filter_selectable
from reknit.core.runs.ending import UNPROVEN_BY_HOLDOUT
from reknit.core.runs.spec import RunSpec
from reknit.core.tamper_checks.failures import find_failure_kind
from reknit.core.tamper_checks.files import find_test_files
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import TestReport, TestResult
from reknit.core.text.format import join_and_count, pluralize, sanitize_line, to_one_line

HoldoutWord = Literal["agreed", "disagreed", "none"]
_SHOWN = 160
_COMPILED = (".go", ".rs", ".java")


@dataclass(frozen=True)
class Holdout:
    """The result of the hold-out cases."""

    word: HoldoutWord
    sentence: str
    cases: tuple[HeldOutCase, ...] = ()
    """Cases that are red with the fix; if there are none, the cases that pass."""
    spent_usd: float = 0.0
    """Total cost of the run after the hold-out, in US dollars."""


@dataclass(frozen=True)
class CaseRun:
    """The runs of one case."""

    case: HeldOutCase
    fixed: TestReport
    base: TestReport | None = None
    """Report without the fix; None: not run, because the case is not red with it."""

    @property
    def result(self) -> TestResult | None:
        """Return the result with the fix; None if the test did not run under this id."""
        return self.fixed.results.get(self.case.test)


@dataclass(frozen=True)
class CasePlaces:
    """The places where a case may be put."""

    target: str
    """Id of the repaired test."""
    folder: str
    """Folder in which the test runner finds a new file."""
    tracked: Collection[str]
    """Paths on base and with the fix."""
    tests: Collection[str]
    """Ids of the existing tests."""


def is_holdout_due(spec: RunSpec, proof: Proof) -> bool:
    """Return True if a hold-out must be run: the task has writers for it, and the fix is proven."""
    return spec.task_as(FixTests).holdout is not None and proof.word == "proven"


def skip_holdout(why: str, spent_usd: float = 0.0) -> Holdout:
    """Return a result without cases, with the reason."""
    return Holdout("none", f"no hold-out: {why}", spent_usd=spent_usd)


def choose_writer(spec: RunSpec, fixer: str, tests: Sequence[str], spent_usd: float) -> AgentSettings | str:
    """Return the agent that writes the cases, or why there is none."""
    agent, writers = spec.find_agent(fixer), spec.task_as(FixTests).holdout
    writer = writers.writer_for(agent) if writers else None
    if writer is None:
        return f"no agent of another vendor than {agent.name} is known"
    if not filter_selectable(tests[:1], spec.projects):
        return "the tests of this project cannot be run one by one"
    return writer if spent_usd < spec.limits.budget_usd else "nothing is left to spend"


def limit_budget(spec: RunSpec, spent_usd: float) -> RunSpec:
    """Return the spec with the budget of its hold-out, which is part of the run's own."""
    writers = spec.task_as(FixTests).holdout
    limit = spent_usd + (writers.budget_usd if writers else 0.0)
    return replace(spec, limits=replace(spec.limits, budget_usd=min(spec.limits.budget_usd, limit)))


def choose_case_folder(target: str, file: str, tracked: Collection[str], spec: RunSpec) -> str:
    """Return the folder for a new test: beside the target; for a Rust test in its source, `tests`.

    `file`: the target's file, if its runner reports it.
    """
    project = find_project(target, spec.projects) or spec.tests
    prefix = f"{project.folder}/" if project.folder else ""
    own = sorted(path.removeprefix(prefix) for path in tracked if path.startswith(prefix))
    files = find_test_files(project.runner, [target.removeprefix(prefix)], own)
    source_file = next((f"{prefix}{path}" for path in files if path.endswith(_COMPILED)), "")
    folder = posixpath.dirname(source_file or file or target.partition("::")[0])
    crate, is_inline, _ = f"/{folder}/".partition("/src/")
    if project.runner == "cargo" and is_inline:
        return posixpath.join(crate.strip("/"), "tests")
    return folder


def filter_placeable(cases: Sequence[HeldOutCase], places: CasePlaces, spec: RunSpec) -> tuple[HeldOutCase, ...]:
    """Return cases with a new test in a new file in the folder; if several have one path or id, the first."""
    project = find_project(places.target, spec.projects)
    placed: list[HeldOutCase] = []
    for case in cases:
        is_new = case.path not in places.tracked and case.test not in places.tests
        is_unique = all(case.path != other.path and case.test != other.test for other in placed)
        is_in_place = (
            posixpath.dirname(case.path) == places.folder and find_project(case.test, spec.projects) == project
        )
        if is_new and is_unique and is_in_place:
            placed.append(case)
    return tuple(placed)


def judge_cases(runs: Sequence[CaseRun], failure: str, writer: str, proposed: int) -> Holdout:
    """Judge the runs. `failure`: the target's message on base; `proposed`: number of cases the agent wrote."""
    usable_runs = [
        run for run in runs if run.result in ("passed", "failed") and not _fails_for_another_reason(run, failure)
    ]
    if not usable_runs:
        sentence = (
            f"none of the {pluralize(proposed, 'case')} by {writer} could be used"
            if proposed
            else f"{writer} gave none"
        )
        return skip_holdout(sentence)
    red = [run for run in usable_runs if run.result == "failed"]
    description = f"{pluralize(len(usable_runs), 'further case')} by {writer}, which has not seen the fix"
    if not red:
        sentence = f"agreed: {description}, passed; this proves nothing, it only found no special case"
        return Holdout("agreed", sentence, tuple(run.case for run in usable_runs))
    examples = join_and_count([*map(_render_case, red)], 2, "; ")
    sentence = f"{UNPROVEN_BY_HOLDOUT}: of {description}, {len(red)} failed with it: {examples}"
    return Holdout("disagreed", sentence, tuple(run.case for run in red))


def add_holdout(proof: Proof, holdout: Holdout) -> Proof:
    """Add the hold-out to the proof. Disagreement lowers it: only a person can say who is right."""
    if holdout.word != "disagreed":
        return replace(proof, holdout=holdout.sentence)
    return replace(proof, word="unproven", sentence=holdout.sentence, fixed=(), still_red=(), holdout=holdout.sentence)


def _fails_for_another_reason(run: CaseRun, failure: str) -> bool:
    """Return True if the case is red without the fix too, with another failure than the target: it judges no fix."""
    if run.result != "failed" or run.base is None or run.base.results.get(run.case.test) != "failed":
        return False
    expected, got = find_failure_kind(failure), find_failure_kind(run.base.messages.get(run.case.test, ""))
    return bool(expected and got and expected != got)


def _render_case(run: CaseRun) -> str:
    message = run.fixed.messages.get(run.case.test, "")
    about, failure = sanitize_line(run.case.about, _SHOWN), sanitize_line(_find_exception_line(message), _SHOWN)
    return f"{to_one_line(run.case.test)} ({about}): {failure}"


def _find_exception_line(message: str) -> str:
    """Return the last line of a traceback, which has the exception; another message is returned whole."""
    if "Traceback" not in message:
        return message or "no message"
    return message.rstrip().rpartition("\n")[2]
