import textwrap
import tomllib
from datetime import date

import pytest

from reknit.core.gate.judge import RULES, Rule
from reknit.core.gate.rule_guide import GUIDE, explain_rule, rule_to_document
from reknit.core.gate.waiver import parse_typed


def test_every_rule_is_explained_in_the_order_of_the_gate() -> None:
    assert list(GUIDE) == [rule.id for rule in RULES]
    for rule, guide in GUIDE.items():
        assert guide.purpose.endswith("."), rule
        assert not guide.example.endswith("."), rule


def test_what_the_proof_rests_on_cannot_be_allowed() -> None:
    assert [rule for rule, guide in GUIDE.items() if not guide.never] == [
        "protected-test",
        "test-support",
        "protected-config",
        "unusual-file",
        "test-awareness",
        "test-values",
        "hidden-text",
        "suppression-added",
        "error-swallowed",
        "secret-added",
        "no-mode-change",
        "out-of-reach",
        "vendored-file",
        "too-much",
    ]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_entry_of_an_explanation_is_one_that_is_accepted(rule: Rule) -> None:
    text = explain_rule(rule.id, rule.sentence, example=True)
    assert all(len(line) <= 120 for line in text.splitlines())
    shown = textwrap.dedent("\n".join(line for line in text.splitlines() if line.startswith(" " * 13)))
    assert bool(shown) is not bool(GUIDE[rule.id].never)
    entries = tomllib.loads(shown).get("gate", {}).get("allow", ())
    assert len(entries) == (0 if GUIDE[rule.id].never else 1)
    for entry in entries:
        assert {**entry} == {"rule": rule.id, "path": "PATH", "reason": "why", "until": date(2026, 12, 31)}
        assert parse_typed(f"{entry['rule']}:{entry['path']}")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_document_says_the_same(rule: Rule) -> None:
    document, text = rule_to_document(rule.id, rule.sentence), explain_rule(rule.id, rule.sentence)
    assert all(str(value) in text for value in document.values())
    guide = GUIDE[rule.id]
    assert document == {
        "rule": rule.id,
        "holds": rule.sentence,
        "why": guide.purpose,
        "refuses": guide.example,
        "strength": rule.strength,
        "nobody": guide.never,
    }


def test_an_explanation_says_how_much_a_rule_counts() -> None:
    assert "\n  counts   always" in explain_rule("protected-config", "It stays.")
    assert "\n  counts   as advice: it refuses only where" in explain_rule("test-awareness", "It does not know.")


def test_an_explanation_says_who_can_allow_it() -> None:
    assert "`--allow protected-config:PATH`" in explain_rule("protected-config", "It stays.")
    assert "allows   nobody: the proof" in explain_rule("test-removed", "It stays.")
