"""Renders the operator's limits and the scores for the prompt of a plan."""

from collections.abc import Iterable, Iterator, Sequence

from reknit.core.planning.intent import Constraint
from reknit.core.planning.variants.variant import VariantScore
from reknit.core.text.format import to_one_line

_MAX_CELL_CHARS = 400
"""Maximum length in characters of one variant's reasons."""


def list_forbidden(constraints: Iterable[Constraint]) -> tuple[str, ...]:
    """Return each limit as something that is forbidden."""
    return tuple(dict.fromkeys(map(_describe_limit, constraints)))


def _describe_limit(constraint: Constraint) -> str:
    if constraint.kind == "budget":
        return f"spending more than ${constraint.value}"
    if constraint.kind == "branch":
        return f"any branch but {constraint.value}"
    if constraint.kind == "time":
        return f"more time than {constraint.text}"
    if constraint.kind == "unchecked":
        return f"anything against “{to_one_line(constraint.text)}”"
    return constraint.value


def render_score_table(scores: Sequence[VariantScore]) -> str:
    """Return the scores as a Markdown table."""
    return "\n".join(_render_rows(scores))


def _render_rows(scores: Sequence[VariantScore]) -> Iterator[str]:
    yield "| variant | score | reasons | disqualified |"
    yield "|---|---|---|---|"
    for score in scores:
        reasons, against = (
            to_one_line("; ".join(texts)).replace("|", "/")[:_MAX_CELL_CHARS]
            for texts in (score.reasons, score.disqualifying)
        )
        yield f"| {score.variant} | {score.score_0_100} | {reasons or '-'} | {against or 'no'} |"


def render_union(names: Iterable[str]) -> str:
    """Return a TypeScript type of these words."""
    return " | ".join(f'"{name}"' for name in names)
