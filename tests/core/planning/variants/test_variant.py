"""How a variant is described to a person and to the agent that chooses."""

import pytest

from reknit.core.planning.variants.variant import Variant


@pytest.mark.parametrize(
    ("variant", "told"),
    [
        (Variant("green", "Small steps."), "green: Small steps."),
        (Variant("blue", "Reads\nonly.", flow="report"), "blue: Reads only. (changes nothing)"),
        (
            Variant(
                "grey", "Hygiene.", budget_usd=5, timeout_s=600, attempts=1, tasks=10, floors=("clean tree", "tests")
            ),
            "grey: Hygiene. (at most $5; 10 minutes; 1 attempt; 10 tasks; only if: clean tree, tests)",
        ),
    ],
)
def test_its_purpose_and_its_limits(variant: Variant, told: str) -> None:
    assert variant.describe() == told
