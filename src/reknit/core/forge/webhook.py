"""A webhook event: a reason to poll, never trusted itself."""

from dataclasses import dataclass


@dataclass(frozen=True)
class WebhookEvent:
    delivery: str
    """The forge's id of the delivery; the same one may arrive twice."""
    slug: str
    """`owner/name`; empty: it concerns no single repository, like the `ping` and `installation` of an App."""
    sha: str = ""
    """Empty: it names no commit."""
    number: int = 0
    """0: it names no pull request."""
    home: str = ""
    """Web address of the repository; empty: not given."""
    merged_from: str = ""
    """If it says that the pull request was merged: the repository that has, or had, its branch."""
