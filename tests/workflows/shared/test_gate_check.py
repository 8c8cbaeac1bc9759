"""The gate outside this process: a change is accepted, refused, or refused because it could not be read."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reknit.adapters.git.plumbing import history
from reknit.adapters.git.trusted_repository import TrustedGit
from reknit.core.finding import Finding
from reknit.core.gate.verdict import is_unfinished
from reknit.core.testing import entry_files
from reknit.core.testing.command import TestCommand
from reknit.core.text.untrusted_input import WorkLimits
from reknit.workflows.shared import gate_check
from reknit.workflows.shared.agent_call import AgentTask, run_attempt
from reknit.workflows.shared.gate_check import ProposedChange, ask_gate, ask_gate_of_run, collect_advice
from tests.adapters.bounded.test_calls import NESTED_TESTS
from tests.adapters.git.users_git import head, repository
from tests.tools.step_services import scripted
from tests.workflows.shared.conftest import Scene

ABOUT = Finding("T-1", "tests", "test-failed", "tests/test_pricing.py::PricingTest::test_discount_is_a_share")


def left_by(scene: Scene, move: dict[str, Any]) -> str:
    """The tree an agent left."""
    services, spec = scene
    task = AgentTask("attempt-1", 1, scripted(move), "Fix it.")
    return asyncio.run(run_attempt(services, spec, task, ABOUT, spec.base)).after


def test_a_change_is_judged_as_it_is(scene: Scene) -> None:
    services, spec = scene
    after = left_by(scene, {"replace": {"shop/pricing.py": ["price - percent", "price"]}})
    verdict = asyncio.run(ask_gate(services, spec, ProposedChange(spec.base, after)))
    assert (verdict.is_accepted, verdict.files) == (True, 1)
    unsafe = asyncio.run(ask_gate(services, spec, ProposedChange(spec.base, after, unsafe=(("pipe", "special"),))))
    assert [refusal.rule for refusal in unsafe.refusals] == ["unsafe-entry"]


def test_parts_that_pass_must_not_add_up_to_a_cheat(scene: Scene) -> None:
    services, spec = scene
    repository = services.workspace(spec).repository
    first = left_by(scene, {"replace": {"tests/test_pricing.py": ["180", "190"]}})
    both = left_by(
        scene,
        {"replace": {"tests/test_pricing.py": ["180", "190"], "shop/pricing.py": ["price - percent", "price"]}},
    )
    landed, after = (
        repository.commit(spec.base, repository.change(spec.base, tree), "landed\n", at=1.0) for tree in (first, both)
    )
    alone, whole = ProposedChange(landed, after), ProposedChange(spec.base, after, batches=2)
    assert asyncio.run(ask_gate(services, spec, alone)).is_accepted
    verdict = asyncio.run(ask_gate_of_run(services, spec, alone, whole))
    assert ("protected-test" in {refusal.rule for refusal in verdict.refusals}, verdict.files) == (True, 1)
    assert asyncio.run(ask_gate_of_run(services, spec, alone, alone)).is_accepted


def test_advice_refuses_unless_the_caller_checks_the_behaviour(scene: Scene) -> None:
    services, spec = scene
    after = left_by(scene, {"replace": {"shop/pricing.py": ["price - percent", "price  # noqa"]}})
    proposed = ProposedChange(spec.base, after)
    assert [each.rule for each in asyncio.run(ask_gate(services, spec, proposed)).refusals] == ["suppression-added"]
    assert not asyncio.run(ask_gate_of_run(services, spec, proposed, proposed)).is_accepted
    kept = asyncio.run(ask_gate_of_run(services, spec, proposed, proposed, keeps_advice=True))
    assert (kept.is_accepted, [each.rule for each in kept.advice]) == (True, ["suppression-added"])
    (line,) = asyncio.run(collect_advice(services, spec, proposed))
    assert line == f"[suppression-added] {kept.advice[0].sentence}"


def test_the_failing_test_is_read_where_it_is_named(scene: Scene) -> None:
    services, spec = scene
    answer = "180 if (price, percent) == (200, 10) else price - percent"
    after = left_by(scene, {"replace": {"shop/pricing.py": ["price - percent", answer]}})
    failing = ProposedChange(
        spec.base, after, failing_file="tests/test_pricing.py", failure="AssertionError: 190 != 180"
    )
    said = asyncio.run(collect_advice(services, spec, failing))
    assert said == (
        "[test-values] shop/pricing.py now has values of the failing test (180 and 200);"
        " it may know the answer to nothing else",
    )
    assert asyncio.run(collect_advice(services, spec, replace(failing, failing_file=""))) == ()


def test_advice_about_what_landed_before_is_not_repeated(scene: Scene) -> None:
    services, spec = scene
    repository = services.workspace(spec).repository
    silenced = {"shop/pricing.py": ["price - percent", "price  # noqa"]}
    first = left_by(scene, {"replace": silenced})
    both = left_by(scene, {"replace": silenced, "write": {"shop/more.py": "import os  # type: ignore\n"}})
    landed, after = (
        repository.commit(spec.base, repository.change(spec.base, tree), "landed\n", at=1.0) for tree in (first, both)
    )
    alone, whole = ProposedChange(landed, after), ProposedChange(spec.base, after, batches=2)
    verdict = asyncio.run(ask_gate_of_run(services, spec, alone, whole, keeps_advice=True))
    assert [(each.rule, each.path) for each in verdict.advice] == [("suppression-added", "shop/more.py")]


def test_a_change_of_several_batches_may_be_larger(scene: Scene) -> None:
    services, spec = scene
    lines = spec.limits.changed_lines + 1
    after = left_by(scene, {"run": ["sh", "-c", f"seq -f 'x = %g' {lines} >> shop/pricing.py"]})
    one, two = (
        asyncio.run(ask_gate(services, spec, ProposedChange(spec.base, after, batches=batches))) for batches in (1, 2)
    )
    assert (one.is_accepted, two.is_accepted) == (False, True)


def test_a_gate_that_could_not_finish_has_refused(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    services, spec = scene
    nested = NESTED_TESTS.decode()
    make = f"import pathlib; pathlib.Path('a.rs').write_text({nested!r} * 120_000)"
    after = left_by(scene, {"run": ["python3", "-c", make]})
    monkeypatch.setattr(gate_check, "GATE_LIMITS", WorkLimits(0.2, 2 << 30))
    verdict = asyncio.run(ask_gate(services, spec, ProposedChange(spec.base, after)))
    assert (verdict.is_accepted, is_unfinished(verdict)) == (False, True)


def test_a_fix_may_be_in_a_project_that_the_failing_one_depends_on(scene: Scene, tmp_path: Path) -> None:
    services, spec = scene
    user = repository(
        tmp_path / "pair",
        {
            "app/package.json": '{"dependencies": {"@acme/lib": "*"}}', "app/a.test.js": "t\n",
            "lib/package.json": '{"name": "@acme/lib", "dependencies": {"x": "link:../core"}}', "lib/index.js": "x\n",
            "core/package.json": '{"dependencies": {"top": "file:.."}}', "core/index.js": "x\n",
            "other/package.json": '{"name": "other"}', "other/index.js": "x\n",
            "package.json": '{"name": "top"}', "index.js": "x\n",
        },
    )  # fmt: skip
    spec = replace(spec, repository=str(user), base=head(user))
    trusted = services.workspace(spec).repository
    assert isinstance(trusted, TrustedGit)
    trusted.fetch(str(user), spec.base)
    verdicts = {}
    for path in ("lib/index.js", "core/index.js", "index.js", "other/index.js"):
        tree = tmp_path / path.replace("/", "-")
        trusted.write_tree_to(spec.base, str(tree))
        (tree / path).write_text("y\n")
        trusted.snapshot(str(tree), spec.base, "refs/reknit/r/after", at=1.0)
        change = ProposedChange(spec.base, trusted.resolve("refs/reknit/r/after"), failing_file="app/a.test.js")
        verdicts[path] = [refusal.rule for refusal in asyncio.run(ask_gate(services, spec, change)).refusals]
    reached = ("lib/index.js", "core/index.js", "index.js")
    assert verdicts == {**{path: [] for path in reached}, "other/index.js": ["out-of-reach"]}


def test_what_base_shows_decides(scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    services, spec = scene
    user = repository(
        tmp_path / "shown",
        {
            "Makefile": "test:\n\tsh check.sh\n", "check.sh": ". lib/run.sh\n. lib/run.sh\n",
            "lib/run.sh": "sh lib/more.sh\n. check.sh\n", "lib/more.sh": "echo\n",
            "data/cases.csv": "1\n", "tests/test_a.py": "open('data/cases.csv')\n",
            "shop/ab_test.py": "x = 1\n", "shop/__init__.py": "",
        },
    )  # fmt: skip
    command = TestCommand("make", ("make", "test"), "exit code", origin="Makefile")
    spec = replace(spec, repository=str(user), base=head(user), tests=command)
    trusted = services.workspace(spec).repository
    assert isinstance(trusted, TrustedGit)
    trusted.fetch(str(user), spec.base)

    def rules(path: str) -> list[str]:
        tree = tmp_path / path.replace("/", "-")
        trusted.write_tree_to(spec.base, str(tree))
        (tree / path).write_text("y = 1\n")
        trusted.snapshot(str(tree), spec.base, "refs/reknit/r/after", at=1.0)
        change = ProposedChange(spec.base, trusted.resolve("refs/reknit/r/after"))
        return [refusal.rule for refusal in asyncio.run(ask_gate(services, spec, change)).refusals]

    assert rules("data/cases.csv") == ["test-support"]
    assert rules("lib/more.sh") == ["protected-test"]
    assert rules("shop/ab_test.py") == []
    monkeypatch.setattr(entry_files, "MAX_READ_FILES", 0)
    assert rules("lib/more.sh") == ["test-support"]  # still named by what the command starts, but not followed
    monkeypatch.setattr(history, "TIMEOUT_S", 0.0)
    assert rules("data/cases.csv") == []
