"""A forge's word that something may have changed: a reason to look, never the truth."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Hint:
    delivery: str
    """The forge's id of it; the same one may come twice."""
    slug: str
    """`owner/name`."""
    sha: str = ""
    """Empty: it named no commit."""
    number: int = 0
    """0: it named no pull request."""
