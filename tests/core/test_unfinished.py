"""What stands in the place of a result when the limit was reached."""

from reknit.core.unfinished import (
    GATE_LIMITS,
    IMPORT_LIMITS,
    TEST_REPORT_LIMITS,
    Unfinished,
    is_unfinished,
    refused_unread,
)
from reknit.core.verdict import GateVerdict, Refusal
from reknit.core.wording import gate_said


def test_a_gate_that_did_not_finish_has_refused() -> None:
    verdict = refused_unread(Unfinished("took longer than 30 s"), files=3)
    assert not verdict.accepted
    assert (verdict.files, verdict.refusals[0].rule) == (3, "unreadable")
    assert "could not finish: reading the change took longer than 30 s" in verdict.refusals[0].sentence
    assert "could not finish" in gate_said(1, verdict).text


def test_it_can_be_told_from_a_gate_that_read_everything() -> None:
    assert is_unfinished(refused_unread(Unfinished("took longer than 30 s"), files=1))
    read = GateVerdict((Refusal("secret", "a.py", "a secret"),), rules=("secret",), files=1, added=1, removed=0)
    assert not is_unfinished(read)


def test_every_limit_is_a_limit() -> None:
    for limits in (GATE_LIMITS, TEST_REPORT_LIMITS, IMPORT_LIMITS):
        assert 0 < limits.wall_s <= 300
        assert 0 < limits.memory_bytes <= 8 << 30
