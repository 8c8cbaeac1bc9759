"""The gate accepts only without any refusal."""

from reknit.core.gate.verdict import GateVerdict, Refusal, is_unfinished, refuse_advised, render_advice


def test_one_refusal_is_enough() -> None:
    assert GateVerdict((), ("a",), 1, 1, 0).is_accepted
    assert not GateVerdict((Refusal("a", "x", "no"),), ("a", "b"), 1, 1, 0).is_accepted


def test_advice_alone_refuses_only_where_it_is_asked_to() -> None:
    first, second, third = (Refusal(rule, "x", "no") for rule in "abc")
    verdict = GateVerdict((first, third), ("a", "b", "c"), 1, 1, 0, advice=(second,))
    assert refuse_advised(verdict) == GateVerdict((first, second, third), ("a", "b", "c"), 1, 1, 0)
    advised = GateVerdict((), ("a", "b"), 1, 1, 0, advice=(second,))
    assert (advised.is_accepted, refuse_advised(advised).is_accepted) == (True, False)


def test_advice_names_its_rule() -> None:
    assert render_advice((Refusal("a", "x", "no"), Refusal("b", "", "nor this"))) == ("[a] no", "[b] nor this")


def test_a_verdict_that_was_not_finished_stays_refused() -> None:
    unfinished = GateVerdict((Refusal("unreadable", "", "too long"),), (), 1, 0, 0)
    assert refuse_advised(unfinished) == unfinished
    assert is_unfinished(unfinished)
    assert not is_unfinished(GateVerdict((), ("a",), 1, 0, 0))
