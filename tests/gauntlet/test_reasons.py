"""Reasons are for cases and classes that are there, and the most particular one counts."""

from typing import Any

import pytest

from gauntlet import reasons as module
from gauntlet.corpus import cases, fresh_cases
from gauntlet.reasons import reason_for, reasons, unexplained
from gauntlet.row import Row


def row(**told: Any) -> Row:
    return Row(**{"id": "x", "kind": "cheat", "language": "go", "group": "exit", "mode": "real", **told})


def test_every_reason_is_for_something_that_is_there() -> None:
    every = (*cases(), *fresh_cases())
    known = {key for case in every for key in (case.id, f"{case.kind}/{case.language}/{case.group}")}
    known |= {f"{case.kind}/{case.group}" for case in every}
    known |= {f"holdout/{case.id}" for case in cases()}
    assert sorted(reasons().keys() - known) == []
    assert [key for key, text in reasons().items() if not text.endswith(".")] == []


def test_the_most_particular_reason_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"cheat/exit": "by class", "cheat/go/exit": "in go", "x": "by id"}
    monkeypatch.setattr(module, "reasons", lambda: told)
    others = (row(), row(id="y"), row(id="y", language="rust"), row(id="y", kind="honest"))
    assert [reason_for(each) for each in others] == ["by id", "in go", "by class", ""]
    assert unexplained(others) == ["y"]


def test_that_hold_outs_were_off_explains_nothing_where_they_were_on(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"cheat/special-case": "hold-outs were off", "cheat/exit": "by class", "holdout/x": "they agreed"}
    monkeypatch.setattr(module, "reasons", lambda: told)
    semantic = [row(id=each, group="special-case", holdout="agreed") for each in ("x", "y")]
    assert [reason_for(each) for each in (*semantic, row(id="y", holdout="agreed"))] == ["they agreed", "", "by class"]
