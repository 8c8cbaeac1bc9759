"""Proves the tests that a fix was asked about: with the change, without it, and under the tamper checks."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from reknit.core.checks.proof import (
    describe_asked_run,
    find_named_red_tests,
    judge_proof,
    judge_without_asked_tests,
    make_red_report,
    prove_asked_tests,
    select_turned_green,
)
from reknit.core.checks.status import TestsResult
from reknit.core.checks.tests import list_suite_only
from reknit.core.gate.scope import Scope
from reknit.core.gate.test_evidence import select_test_paths
from reknit.core.gate.verdict import Refusal
from reknit.core.projects.merge import filter_selectable
from reknit.core.repository.change import Change
from reknit.core.repository.paths import is_test_file
from reknit.core.runs import attempt_events
from reknit.core.runs.spec import RunSpec
from reknit.core.tamper_checks.checks import LABELS
from reknit.core.testing.entry_files import add_link_targets
from reknit.core.testing.proof import Proof, RunRecord, record_run, sum_runs
from reknit.core.testing.report import TestReport
from reknit.core.text.untrusted_input import GATE_LIMITS, UnfinishedWork
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.gate_check import collect_base_facts
from reknit.workflows.shared.saved_values import forget_runs, load_value, run_once, save_value
from reknit.workflows.shared.tampering import FixToCheck, ask_tamper_checks
from reknit.workflows.shared.tests_check import load_tests_result


async def split_change(
    services: Services, spec: RunSpec, sides: tuple[str, str], test_files: Sequence[str], *, at: float
) -> tuple[str, str]:
    """Return two commits on top of the base: the change without its test files, and its test files alone.

    `sides`: the base and the commit with the change. `test_files`: files that had a test on base. A test file that a
    person allowed to change counts as part of the fix, because its old version was red.
    """
    base, after = sides
    repository = services.workspace(spec).repository
    change = await asyncio.to_thread(repository.change, base, after)
    links = await asyncio.to_thread(repository.links, base)
    facts = await collect_base_facts(services, repository, base, change)
    scope = Scope(add_link_targets(test_files, links), "", 0, 0, spec.tests.runner, facts=facts)
    test_paths = await services.calls.run(GATE_LIMITS, select_test_paths, change, scope)
    paths = filter(is_test_file, change.paths) if isinstance(test_paths, UnfinishedWork) else test_paths
    tests = {path for path in paths if not spec.waivers.find_waiver("protected-test", path)}

    def half(*, of_tests: bool) -> str:
        files = tuple(file for file in change.files if (file.path in tests) == of_tests)
        return repository.commit(base, Change(files), "half of a change, for verification\n", at=at) if files else base

    return await asyncio.to_thread(half, of_tests=False), await asyncio.to_thread(half, of_tests=True)


_LABELS = ("again", "without", "without-suite", *LABELS)


@dataclass(frozen=True)
class AskedFix:
    """A fix after which no test is newly red, and the tests that it was asked to turn green."""

    name: str
    """Name under which the proof is saved."""
    base: str
    commit: str
    at: float
    """Time of the change, in seconds since the epoch."""
    before: TestsResult
    after: TestsResult
    asked: tuple[str, ...]
    """Tests that the fix was to turn green."""


def find_red_tests(services: Services, spec: RunSpec, head: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the tests that are red on `head` and that a text names."""
    before = load_tests_result(services, spec, head)
    return find_named_red_tests(texts, before) if before else ()


async def prove_named_tests(
    services: Services,
    spec: RunSpec,
    number: int,
    commits: tuple[str, str, float],
    texts: Sequence[str],
    advice: Sequence[Refusal],
) -> Proof | None:
    """Prove the red tests that findings name; None if there are none. `commits`: head, the fix on it, and its time."""
    head, commit, at = commits
    before, after = (load_tests_result(services, spec, side, number) for side in (head, commit))
    target_tests = find_red_tests(services, spec, head, texts)
    if not target_tests or before is None or after is None:
        return None
    fix = AskedFix(f"attempt-{number}", head, commit, at, before, after, target_tests)
    proof = await prove_asked_fix(services, spec, fix, advice)
    services.ledger.put_event(spec.run_id, f"attempt-{number}-proof", attempt_events.report_proof(number, proof))
    return proof


async def prove_asked_fix(services: Services, spec: RunSpec, fix: AskedFix, advice: Sequence[Refusal]) -> Proof:
    """Prove a fix, and save the proof for the receipt.

    `advice`: suspicions of the gate; they refuse the fix if no check shows otherwise.
    """
    turned = select_turned_green(fix.before, fix.after, fix.asked)
    if turned:
        proof = await _run_proof(services, spec, fix, turned, advice)
    else:
        proof = judge_without_asked_tests(spec.evidence, advice, fix.asked)
    return save_value(services, spec, _document(fix.name), proof)


def load_asked_proof(services: Services, spec: RunSpec, name: str) -> tuple[Proof, ...]:
    """Return the saved proof; empty if the fix was asked about no test."""
    proof = load_value(services, spec, _document(name))
    return (proof,) if isinstance(proof, Proof) else ()


async def _run_proof(
    services: Services, spec: RunSpec, fix: AskedFix, turned: tuple[str, ...], advice: Sequence[Refusal]
) -> Proof:
    runs: list[RunRecord] = []

    async def run(label: str, rev: str, only: Sequence[str]) -> TestReport:
        report, at = await run_once(services, spec, _name(fix, label), rev, only)
        runs.append(record_run(describe_asked_run(label, alone=bool(only)), report, at))
        return report

    sides = (fix.base, fix.commit)
    source, bare = await split_change(services, spec, sides, fix.before.test_files, at=fix.at)
    alone = turned if filter_selectable(turned, spec.projects) == turned else ()
    red = make_red_report(fix.before, turned, spec.evidence)
    without = await run("without", bare, alone) if alone else red
    if without.status != "error" and list_suite_only(turned, red, [without]):
        alone = ()
    # A suite that runs only as a whole is not run again for what its runs have shown already.
    again = await run("again", source, alone) if alone or bare != fix.base else None
    if not alone:
        without = red if bare == fix.base else await run("without-suite", bare, ())
    proof = prove_asked_tests(turned, fix.after.passed, again, without)
    if proof.word == "proven":
        checked = FixToCheck(_name(fix, "checks"), fix.base, source, proof.fixed, proof.fixed, without, fix.at)
        proof = judge_proof(proof, await ask_tamper_checks(services, spec, checked, run, runs.append), advice)
    elif proof.word == "unproven":
        proof = judge_proof(proof, (), advice)
    forget_runs(services, spec, (_name(fix, label) for label in _LABELS))
    return replace(proof, seconds=sum(run.seconds for run in runs), ran=sum_runs(runs))


def _name(fix: AskedFix, label: str) -> str:
    return f"asked-{fix.commit[:12]}-{label}"


def _document(name: str) -> str:
    return f"asked-proof-{name}"
