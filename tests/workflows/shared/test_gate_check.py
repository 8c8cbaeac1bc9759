"""The gate outside this process: a change is accepted, refused, or refused because it could not be read."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from reknit.core.gate.scope import Scope
from reknit.core.gate.verdict import is_unfinished
from reknit.core.repository.change import Change, FileChange
from reknit.core.text.work_limits import WorkLimits
from reknit.workflows.shared import gate_check
from reknit.workflows.shared.gate_check import ask_gate
from tests.adapters.bounded.test_calls import NESTED_TESTS
from tests.workflows.shared.conftest import Scene

SCOPE = Scope((), "", 20, 1000, "pytest")
CHANGE = Change((FileChange("src/a.py", b"x = 1\n", b"x = 2\n", 0o100644, 0o100644),))


def test_a_change_is_judged_as_it_is(scene: Scene) -> None:
    services, _ = scene
    assert asyncio.run(ask_gate(services, CHANGE, SCOPE)).accepted
    unsafe = asyncio.run(ask_gate(services, replace(CHANGE, unsafe=(("pipe", "special"),)), SCOPE))
    assert [refusal.rule for refusal in unsafe.refusals] == ["unsafe-entry"]


def test_a_gate_that_could_not_finish_has_refused(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    services, _ = scene
    slow: Any = Change((FileChange("src/a.rs", b"", NESTED_TESTS * 120_000),))
    monkeypatch.setattr(gate_check, "GATE_LIMITS", WorkLimits(0.2, 2 << 30))
    verdict = asyncio.run(ask_gate(services, slow, SCOPE))
    assert (verdict.accepted, is_unfinished(verdict)) == (False, True)
