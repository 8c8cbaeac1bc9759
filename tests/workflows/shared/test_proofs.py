"""The tests that a fix was asked about run again: alone with the change, without it, and under the tamper checks."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.adapters.git.landing import commit_all
from reknit.core.gate.verdict import Refusal
from reknit.core.testing.proof import Proof
from reknit.workflows.shared.proofs import AskedFix, load_asked_proof, prove_asked_fix
from reknit.workflows.shared.tests_check import run_tests_check
from tests.tools.step_services import step_services
from tests.workflows.shared.conftest import Scene

TEST = "test_shop.py::HalfTest::test_half"
ADVICE = (Refusal("test-awareness", "shop.py", "shop.py now looks for its tests"),)
WRONG = "def half(n):\n    return n\n"
RIGHT = "def half(n):\n    return n // 2\n"
CHEAT = "import sys\n\n\ndef half(n):\n    return n // 2 if sys._getframe(1).f_code.co_name == 'test_half' else n\n"
CASE = """import unittest

from shop import half


class {name}Test(unittest.TestCase):
    def test_{word}(self) -> None:
        self.assertEqual(half({given}), {expected})
"""
MORE = CASE.format(name="More", word="of_two", given=2, expected=1)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path / "repository"
    root.mkdir()
    test = CASE.format(name="Half", word="half", given=8, expected=4)
    for name, text in {"shop.py": WRONG, "test_shop.py": test}.items():
        (root / name).write_text(text)
    commit_all(str(root), "first")
    with step_services(tmp_path, root) as made:
        yield made


def asked(shop: Scene, files: dict[str, str], *tests: str) -> AskedFix:
    services, spec = shop
    commit = services.workspace(spec).repository.commit_for_tests(spec.base, files, at=1.0)
    before, after = (
        asyncio.run(run_tests_check(services, spec, name, rev)) for name, rev in (("base", spec.base), ("fix", commit))
    )
    return AskedFix("of-this", spec.base, commit, 1.0, before, after, tests or (TEST,))


def ran(proof: Proof) -> list[str]:
    return [f"{run.what}: {run.tests}" for run in proof.ran]


def test_a_fix_is_proven_by_runs_of_its_tests_alone(shop: Scene) -> None:
    services, spec = shop
    fix = asked(shop, {"shop.py": RIGHT, "test_more.py": MORE})
    proof = asyncio.run(prove_asked_fix(services, spec, fix, ADVICE))
    assert (proof.word, proof.fixed, proof.passed) == ("proven", (TEST,), 2), proof.sentence
    assert {each.check: each.word for each in proof.checks} == {
        "canaries": "held", "twins": "held", "second-harness": "held",
    }  # fmt: skip
    assert ran(proof)[:2] == [
        "what turned green, alone, without the change: 1",
        "what turned green, alone, with the change but not the tests it adds: 1",
    ]
    assert load_asked_proof(services, spec, fix.name) == (proof,)
    assert services.ledger.document(spec.run_id, f"report-asked-{fix.commit[:12]}-without") == "", "it is in the proof"


def test_a_cheat_is_refused_by_what_it_does(shop: Scene) -> None:
    proof = asyncio.run(prove_asked_fix(*shop, asked(shop, {"shop.py": CHEAT}), ()))
    assert (proof.word, proof.fixed) == ("refused", ())
    assert "tampering seen by the check second-harness" in proof.sentence


def test_without_a_test_that_was_asked_about_nothing_is_run_and_advice_refuses(shop: Scene) -> None:
    services, spec = shop
    fix = asked(shop, {"shop.py": RIGHT}, "test_shop.py::HalfTest::test_other")
    assert load_asked_proof(services, spec, fix.name) == ()
    held = asyncio.run(prove_asked_fix(services, spec, fix, ()))
    assert (held.word, held.ran) == ("held", ())
    assert asyncio.run(prove_asked_fix(services, spec, fix, ADVICE)).word == "refused"


def test_a_test_that_passes_without_the_change_proves_nothing(shop: Scene) -> None:
    fix = asked(shop, {"shop.py": RIGHT})
    fix = replace(fix, base=fix.commit)
    proof = asyncio.run(prove_asked_fix(*shop, fix, ()))
    assert (proof.word, proof.checks) == ("unproven", ())
    assert asyncio.run(prove_asked_fix(*shop, fix, ADVICE)).word == "refused"


def test_a_suite_that_runs_only_as_a_whole_is_not_run_again_for_what_is_known(shop: Scene) -> None:
    services, spec = shop
    fix = asked(shop, {"shop.py": RIGHT})
    whole = replace(spec, tests=replace(spec.tests, select=()))
    proof = asyncio.run(prove_asked_fix(services, whole, fix, ()))
    assert (proof.word, proof.fixed) == ("proven", (TEST,)), proof.sentence
    assert not [run for run in ran(proof) if "turned green, alone" in run or "whole suite" in run]
