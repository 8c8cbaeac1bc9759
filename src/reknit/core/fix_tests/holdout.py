"""Hold-outs: what test cases by another vendor, which has not seen the fix, say about it."""

import posixpath
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from reknit.core.agent_reports.values import HeldOutCase
from reknit.core.agents.call import AgentSettings
from reknit.core.runs.spec import RunSpec
from reknit.core.tamper_checks.files_of_tests import files_of_tests
from reknit.core.tamper_checks.kinds import failure_kind
from reknit.core.testing.projects.find import project_of
from reknit.core.testing.projects.merge import selectable
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import TestReport, TestResult
from reknit.core.text.format import counted, first_and_more, one_line, words

UNPROVEN_BY_HOLDOUT = "UNPROVEN by hold-out"
HoldoutWord = Literal["agreed", "disagreed", "none"]
_SHOWN = 160
_COMPILED = (".go", ".rs", ".java")


@dataclass(frozen=True)
class Holdout:
    word: HoldoutWord
    sentence: str
    cases: tuple[HeldOutCase, ...] = ()
    """Those that are red with the fix; if there are none, those that pass."""
    spent_usd: float = 0.0
    """The run's total after it."""


@dataclass(frozen=True)
class CaseRun:
    case: HeldOutCase
    fixed: TestReport
    base: TestReport | None = None
    """Without the fix; run only if the case is red with it."""

    @property
    def result(self) -> TestResult | None:
        """With the fix; None if the report does not name the test: its file could not be loaded, or has another."""
        return self.fixed.results.get(self.case.test)


@dataclass(frozen=True)
class CasePlaces:
    """Where a case may be put."""

    target: str
    """The id of the test that was repaired."""
    folder: str
    """In which a new file is found by the test runner."""
    tracked: Collection[str]
    """Paths on base and with the fix."""
    tests: Collection[str]
    """Ids of tests that exist."""


def is_holdout_due(spec: RunSpec, proof: Proof) -> bool:
    return spec.holdout is not None and proof.word == "proven"


def no_holdout(why: str, spent_usd: float = 0.0) -> Holdout:
    return Holdout("none", f"no hold-out: {why}", spent_usd=spent_usd)


def writer_or_why(spec: RunSpec, fixer: str, tests: Sequence[str], spent_usd: float) -> AgentSettings | str:
    """The agent that writes the cases, or why nobody is asked."""
    agent = spec.agent_named(fixer)
    writer = spec.holdout.writer_for(agent) if spec.holdout else None
    if writer is None:
        return f"no agent of another vendor than {agent.name} is known"
    if not selectable(tests[:1], spec.projects):
        return "the tests of this project cannot be run one by one"
    return writer if spent_usd < spec.limits.budget_usd else "nothing is left to spend"


def budget_with_holdout(spec: RunSpec, spent_usd: float) -> RunSpec:
    """The run as its hold-out sees it: it may spend no more than its own limit."""
    most = spent_usd + (spec.holdout.budget_usd if spec.holdout else 0.0)
    return replace(spec, limits=replace(spec.limits, budget_usd=min(spec.limits.budget_usd, most)))


def case_folder(target: str, file: str, tracked: Collection[str], spec: RunSpec) -> str:
    """Where a new file is a test like the target: beside it; for a Rust test in its source, in the crate's `tests`.

    `file`: that of the target, if its runner reports it.
    """
    project = project_of(target, spec.projects) or spec.tests
    prefix = f"{project.folder}/" if project.folder else ""
    own = sorted(path.removeprefix(prefix) for path in tracked if path.startswith(prefix))
    named = files_of_tests(project.runner, [target.removeprefix(prefix)], own)
    known = next((f"{prefix}{path}" for path in named if path.endswith(_COMPILED)), "")
    folder = posixpath.dirname(known or file or target.partition("::")[0])
    crate, is_inline, _ = f"/{folder}/".partition("/src/")
    if project.runner == "cargo" and is_inline:
        return posixpath.join(crate.strip("/"), "tests")
    return folder


def placeable(cases: Sequence[HeldOutCase], places: CasePlaces, spec: RunSpec) -> tuple[HeldOutCase, ...]:
    """Those with a new test in a new file in that folder; of several with one path or id, the first."""
    project = project_of(places.target, spec.projects)
    kept: list[HeldOutCase] = []
    for case in cases:
        is_new = case.path not in places.tracked and case.test not in places.tests
        is_once = all(case.path != other.path and case.test != other.test for other in kept)
        is_found = posixpath.dirname(case.path) == places.folder and project_of(case.test, spec.projects) == project
        if is_new and is_once and is_found:
            kept.append(case)
    return tuple(kept)


def judge_cases(runs: Sequence[CaseRun], failure: str, writer: str, proposed: int) -> Holdout:
    """`failure`: what the target said on base; `proposed`: how many cases the agent gave."""
    counting = [
        run for run in runs if run.result in ("passed", "failed") and not _is_about_something_else(run, failure)
    ]
    if not counting:
        said = (
            f"none of the {counted(proposed, 'case')} by {writer} could be used" if proposed else f"{writer} gave none"
        )
        return no_holdout(said)
    red = [run for run in counting if run.result == "failed"]
    seen = f"{counted(len(counting), 'further case')} by {writer}, which has not seen the fix"
    if not red:
        said = f"agreed: {seen}, passed; this proves nothing, it only found no special case"
        return Holdout("agreed", said, tuple(run.case for run in counting))
    shown = first_and_more([*map(_shown, red)], 2, "; ")
    said = f"{UNPROVEN_BY_HOLDOUT}: of {seen}, {len(red)} failed with it: {shown}"
    return Holdout("disagreed", said, tuple(run.case for run in red))


def with_holdout(proof: Proof, holdout: Holdout) -> Proof:
    """Disagreement lowers the proof: who is right, only a person can say."""
    if holdout.word != "disagreed":
        return replace(proof, holdout=holdout.sentence)
    return replace(proof, word="unproven", sentence=holdout.sentence, fixed=(), still_red=(), holdout=holdout.sentence)


def _is_about_something_else(run: CaseRun, failure: str) -> bool:
    """Red on both sides, but not as the target was: the case is wrong, or shows a bug that nobody asked about."""
    if run.result != "failed" or run.base is None or run.base.results.get(run.case.test) != "failed":
        return False
    expected, got = failure_kind(failure), failure_kind(run.base.messages.get(run.case.test, ""))
    return bool(expected and got and expected != got)


def _shown(run: CaseRun) -> str:
    message = run.fixed.messages.get(run.case.test, "")
    return f"{one_line(run.case.test)} ({words(run.case.about, _SHOWN)}): {words(_telling(message), _SHOWN)}"


def _telling(message: str) -> str:
    """Of a traceback its last line, which says what was raised; elsewhere the values are in the lines that follow."""
    if "Traceback" not in message:
        return message or "no message"
    return message.rstrip().rpartition("\n")[2]
