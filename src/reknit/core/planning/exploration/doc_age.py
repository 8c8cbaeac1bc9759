"""Which documents are stale, and how old the state of the project is."""

from collections.abc import Sequence
from datetime import date

from reknit.core.planning.context import Doc, Frontmatter
from reknit.core.planning.exploration.dates import date_of
from reknit.core.planning.exploration.expected_files import is_state

STALE_DAYS = 30


def stale(docs: Sequence[Doc], as_of: date) -> tuple[str, ...]:
    """Those that say so, and those that were updated more than 30 days before."""
    return tuple(doc.path for doc in docs if _is_stale(doc.frontmatter, as_of))


def state_age_days(docs: Sequence[Doc], as_of: date) -> int | None:
    """None: no STATE.md has a date. The newest counts; one in the future is as old as today."""
    ages = [_age_days(doc.frontmatter, as_of) for doc in docs if is_state(doc.path)]
    return min((max(age, 0) for age in ages if age is not None), default=None)


def _is_stale(frontmatter: Frontmatter, as_of: date) -> bool:
    age = _age_days(frontmatter, as_of)
    return dict(frontmatter).get("status", "").lower() == "stale" or (age is not None and age > STALE_DAYS)


def _age_days(frontmatter: Frontmatter, as_of: date) -> int | None:
    updated = date_of(dict(frontmatter).get("updated", ""))
    return (as_of - updated).days if updated else None
