"""The gate accepts only without any refusal."""

from reknit.core.gate.verdict import GateVerdict, Refusal


def test_one_refusal_is_enough() -> None:
    assert GateVerdict((), ("a",), 1, 1, 0).accepted
    assert not GateVerdict((Refusal("a", "x", "no"),), ("a", "b"), 1, 1, 0).accepted
