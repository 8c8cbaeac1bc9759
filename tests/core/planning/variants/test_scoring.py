"""Scores: every variant gets one, with reasons and disqualifications, in an order that never changes."""

import random
from dataclasses import replace

import pytest

from reknit.core.planning.constraints import parse_constraint
from reknit.core.planning.context import Inventory, RepoContext
from reknit.core.planning.intent import Constraint, Intent
from reknit.core.planning.variants.scoring import explain_disqualification, score_variants, scores_to_document
from reknit.core.planning.variants.variant import Variant, VariantScore

CALM = RepoContext("2026-11-17", "main", "main", inventory=Inventory(tests=("pytest",)))
UNTIDY = replace(CALM, governance_missing=("LICENSE", "CHANGELOG"), docs_stale=("a.md",))
ASKED = Intent("topic")
GREY = Variant("grey", "p", base=10, signals=(("missing-governance", 40), ("stale-docs", 25), ("red-ci", -10)))


def test_base_and_weights_are_added_with_their_reasons() -> None:
    reasons = (
        "+10 in any repository",
        "+40 missing-governance: missing: LICENSE, CHANGELOG",
        "+25 stale-docs: stale: a.md",
    )
    assert score_variants(UNTIDY, (GREY,), ASKED) == (VariantScore("grey", 75, reasons),)
    assert score_variants(CALM, (GREY,), ASKED) == (VariantScore("grey", 10, reasons[:1]),)


@pytest.mark.parametrize(("weight", "expected"), [(100, 100), (-40, 0), (0, 10)])
def test_a_score_stays_between_0_and_100(weight: int, expected: int) -> None:
    variant = replace(GREY, signals=(("missing-governance", weight),))
    assert score_variants(UNTIDY, (variant,), ASKED)[0].score_0_100 == expected


def test_the_best_is_first_equal_ones_are_by_name_and_the_order_of_the_registry_is_nothing() -> None:
    variants = [Variant("b", "p", base=5), Variant("a", "p", base=5), Variant("c", "p", base=9), Variant("d", "p")]
    expected = ["c", "a", "b", "d"]
    for _ in range(10):
        random.shuffle(variants)
        assert [each.variant for each in score_variants(CALM, variants, ASKED)] == expected


def limits(*texts: str) -> tuple[Constraint, ...]:
    found = [limit for text in texts for limit in parse_constraint(text, ("grey", "old-man"))]
    return tuple(limit for limit in found if isinstance(limit, Constraint))


@pytest.mark.parametrize(
    ("variant", "intent", "expected"),
    [
        pytest.param(GREY, ASKED, [], id="nothing speaks against it"),
        pytest.param(
            GREY,
            Intent("topic", constraints=limits("deny_variants: grey")),
            ["the operator forbids it: “deny_variants: grey”: the variant is grey"],
            id="forbidden",
        ),
        pytest.param(
            GREY,
            Intent("topic", constraints=limits("deny_variants: old-man", "deny_models: opus")),
            [],
            id="others are forbidden",
        ),
        pytest.param(
            replace(GREY, model="claude-opus-4-5"),
            Intent("topic", constraints=limits("deny_models: opus")),
            ["the operator forbids it: “deny_models: opus”: grey would run claude-opus-4-5"],
            id="its model is forbidden",
        ),
        pytest.param(
            replace(GREY, agent="codex", model="gpt-5"),
            Intent("topic", constraints=limits("deny_models: gpt-5")),
            ["the operator forbids it: “deny_models: gpt-5”: codex would run gpt-5"],
            id="the model of its agent is forbidden",
        ),
        pytest.param(
            GREY, Intent("topic", constraints=limits("branch: develop", "max_usd: 1")), [], id="limits of any run"
        ),
        pytest.param(
            replace(GREY, floors=("off the default branch", "confirmed")),
            ASKED,
            [
                "it must not run on the default branch main",
                "it needs --confirm-burn-everything, which was not given",
            ],
            id="floors that do not hold",
        ),
    ],
)
def test_what_speaks_against_a_variant(variant: Variant, intent: Intent, expected: list[str]) -> None:
    assert list(explain_disqualification(variant, CALM, intent)) == expected
    assert list(score_variants(CALM, (variant,), intent)[0].disqualifying) == expected


def test_scores_are_shown_in_the_order_of_the_ranking() -> None:
    scores = score_variants(CALM, (Variant("b", "p"), replace(GREY, floors=("confirmed",))), ASKED)
    why = "it needs --confirm-burn-everything, which was not given"
    assert scores_to_document(scores) == {
        "VariantScores": [
            {"Variant": "grey", "Score": 10, "Reasons": ["+10 in any repository"], "Disqualifying": [why]},
            {"Variant": "b", "Score": 0, "Reasons": [], "Disqualifying": []},
        ]
    }
