"""A forge's word that something may have changed: a reason to look, never the truth."""

from dataclasses import dataclass


@dataclass(frozen=True)
class WebhookEvent:
    delivery: str
    """The forge's id of it; the same one may come twice."""
    slug: str
    """`owner/name`; empty: it concerns no single repository, as the `ping` and `installation` of an App."""
    sha: str = ""
    """Empty: it named no commit."""
    number: int = 0
    """0: it named no pull request."""
    home: str = ""
    """Where a person finds that repository; empty: it was not said."""
    merged_from: str = ""
    """It says that the pull request was merged: the repository that has, or had, its branch."""
