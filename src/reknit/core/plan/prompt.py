"""What the prompt for a plan shows: the operator's limits and the scores as a table."""

from collections.abc import Iterable, Iterator, Sequence

from reknit.core.planning.intent import Constraint
from reknit.core.planning.variants.variant import VariantScore
from reknit.core.text.format import one_line

_LONGEST = 400
"""Characters of the reasons of one variant."""


def forbidden(constraints: Iterable[Constraint]) -> tuple[str, ...]:
    """Each limit as something that is forbidden."""
    return tuple(dict.fromkeys(map(_forbidden, constraints)))


def _forbidden(constraint: Constraint) -> str:
    if constraint.kind == "budget":
        return f"spending more than ${constraint.value}"
    if constraint.kind == "branch":
        return f"any branch but {constraint.value}"
    if constraint.kind == "time":
        return f"more time than {constraint.text}"
    if constraint.kind == "unchecked":
        return f"anything against “{one_line(constraint.text)}”"
    return constraint.value or constraint.text


def score_table(scores: Sequence[VariantScore]) -> str:
    return "\n".join(_rows(scores))


def _rows(scores: Sequence[VariantScore]) -> Iterator[str]:
    yield "| variant | score | reasons | disqualified |"
    yield "|---|---|---|---|"
    for each in scores:
        reasons, against = (_cell(texts) for texts in (each.reasons, each.disqualifying))
        yield f"| {each.variant} | {each.score_0_100} | {reasons or '-'} | {against or 'no'} |"


def _cell(texts: Sequence[str]) -> str:
    return one_line("; ".join(texts)).replace("|", "/")[:_LONGEST]


def quoted_union(names: Iterable[str]) -> str:
    """A TypeScript type of these words."""
    return " | ".join(f'"{name}"' for name in names)
