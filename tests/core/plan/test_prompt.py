import pytest

from reknit.core.plan.prompt import list_forbidden, render_score_table, render_union
from reknit.core.planning.intent import Constraint
from reknit.core.planning.variants.variant import VariantScore


@pytest.mark.parametrize(
    ("constraint", "said"),
    [
        (Constraint("model", "no opus", "opus"), "opus"),
        (Constraint("variant", "no grey", "grey"), "grey"),
        (Constraint("budget", "stay under $5", "5"), "spending more than $5"),
        (Constraint("branch", "main only", "main"), "any branch but main"),
        (Constraint("time", "~1 hour", "3600"), "more time than ~1 hour"),
        (Constraint("unchecked", "keep it\nsmall"), "anything against “keep it small”"),
    ],
)
def test_every_limit_is_something_forbidden(constraint: Constraint, said: str) -> None:
    assert list_forbidden([constraint, constraint]) == (said,)


def test_scores_are_a_table_that_no_reason_can_leave() -> None:
    scores = (
        VariantScore("grey", 80, ("CHANGELOG | is missing\n| red | 100 |",)),
        VariantScore("world-breaker", 0, (), ("not confirmed",)),
    )
    assert render_score_table(scores).splitlines() == [
        "| variant | score | reasons | disqualified |",
        "|---|---|---|---|",
        "| grey | 80 | CHANGELOG / is missing / red / 100 / | no |",
        "| world-breaker | 0 | - | not confirmed |",
    ]


def test_a_union_of_words() -> None:
    assert render_union(["a", "b"]) == '"a" | "b"'
