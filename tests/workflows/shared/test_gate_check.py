"""The gate outside this process: a change is accepted, refused, or refused because it could not be read."""

import asyncio
from typing import Any

import pytest

from reknit.core.finding import Finding
from reknit.core.gate.verdict import is_unfinished
from reknit.core.text.work_limits import WorkLimits
from reknit.workflows.shared import gate_check
from reknit.workflows.shared.agent_attempt import work
from reknit.workflows.shared.agent_call import AgentTask
from reknit.workflows.shared.gate_check import ProposedChange, ask_gate
from tests.adapters.bounded.test_calls import NESTED_TESTS
from tests.tools.step_services import scripted
from tests.workflows.shared.conftest import Scene

ABOUT = Finding("T-1", "tests", "test-failed", "tests/test_pricing.py::PricingTest::test_discount_is_a_share")


def left_by(scene: Scene, move: dict[str, Any]) -> str:
    """The tree an agent left."""
    services, spec = scene
    task = AgentTask("attempt-1", 1, scripted(move), "Fix it.")
    return asyncio.run(work(services, spec, task, ABOUT, spec.base)).after


def test_a_change_is_judged_as_it_is(scene: Scene) -> None:
    services, spec = scene
    after = left_by(scene, {"replace": {"shop/pricing.py": ["price - percent", "price"]}})
    verdict = asyncio.run(ask_gate(services, spec, ProposedChange(spec.base, after)))
    assert (verdict.accepted, verdict.files) == (True, 1)
    unsafe = asyncio.run(ask_gate(services, spec, ProposedChange(spec.base, after, unsafe=(("pipe", "special"),))))
    assert [refusal.rule for refusal in unsafe.refusals] == ["unsafe-entry"]


def test_a_change_of_several_batches_may_be_larger(scene: Scene) -> None:
    services, spec = scene
    lines = spec.limits.changed_lines + 1
    after = left_by(scene, {"run": ["sh", "-c", f"seq -f 'x = %g' {lines} >> shop/pricing.py"]})
    one, two = (
        asyncio.run(ask_gate(services, spec, ProposedChange(spec.base, after, batches=batches))) for batches in (1, 2)
    )
    assert (one.accepted, two.accepted) == (False, True)


def test_a_gate_that_could_not_finish_has_refused(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    services, spec = scene
    nested = NESTED_TESTS.decode()
    make = f"import pathlib; pathlib.Path('a.rs').write_text({nested!r} * 120_000)"
    after = left_by(scene, {"run": ["python3", "-c", make]})
    monkeypatch.setattr(gate_check, "GATE_LIMITS", WorkLimits(0.2, 2 << 30))
    verdict = asyncio.run(ask_gate(services, spec, ProposedChange(spec.base, after)))
    assert (verdict.accepted, is_unfinished(verdict)) == (False, True)
