"""What stands in the place of a result when the limit was reached."""

from reknit.core.gate.judge import refuse_unread
from reknit.core.gate.scope import Scope
from reknit.core.gate.verdict import GateVerdict, Refusal, is_unfinished
from reknit.core.repository.change import Change
from reknit.core.runs.attempt_events import gate_said
from reknit.core.text.work_limits import GATE_LIMITS, IMPORT_LIMITS, TEST_REPORT_LIMITS, Unfinished

SCOPE = Scope((), "", 20, 400, "pytest")


def test_a_gate_that_did_not_finish_has_refused_and_names_what_was_not_read_at_all() -> None:
    change = Change((), ((".", "more than 50 MB of changes"),))
    verdict = refuse_unread(change, SCOPE, Unfinished("took longer than 30 s"))
    assert not verdict.accepted
    assert [refusal.rule for refusal in verdict.refusals] == ["unreadable", "unsafe-entry"]
    assert "could not finish: reading the change took longer than 30 s" in verdict.refusals[0].sentence
    assert "more than 50 MB of changes" in verdict.refusals[1].sentence
    assert "could not finish" in gate_said(1, verdict).text


def test_it_can_be_told_from_a_gate_that_read_everything() -> None:
    assert is_unfinished(refuse_unread(Change(()), SCOPE, Unfinished("took longer than 30 s")))
    read = GateVerdict((Refusal("secret", "a.py", "a secret"),), rules=("secret",), files=1, added=1, removed=0)
    assert not is_unfinished(read)


def test_every_limit_is_a_limit() -> None:
    for limits in (GATE_LIMITS, TEST_REPORT_LIMITS, IMPORT_LIMITS):
        assert 0 < limits.wall_s <= 300
        assert 0 < limits.memory_bytes <= 8 << 30
