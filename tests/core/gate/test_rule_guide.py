from reknit.core.gate.judge import RULES
from reknit.core.gate.rule_guide import GUIDE, explain_rule


def test_every_rule_is_explained_in_the_order_of_the_gate() -> None:
    assert list(GUIDE) == [rule.id for rule in RULES]
    for rule, guide in GUIDE.items():
        assert guide.purpose.endswith("."), rule
        assert not guide.example.endswith("."), rule


def test_what_the_proof_rests_on_cannot_be_allowed() -> None:
    assert [rule for rule, guide in GUIDE.items() if not guide.never] == [
        "protected-test",
        "protected-config",
        "hidden-text",
        "suppression-added",
        "no-mode-change",
        "out-of-reach",
        "too-much",
    ]


def test_an_explanation_says_who_can_allow_it() -> None:
    assert "`--allow protected-config:PATH`" in explain_rule("protected-config", "It stays.")
    assert "allows   nobody: the proof" in explain_rule("test-removed", "It stays.")
