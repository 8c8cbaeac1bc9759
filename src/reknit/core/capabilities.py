"""All capabilities, by the kind of run. A new one is registered here."""

from reknit.core.capability import Capability
from reknit.core.fix_issues.capability import FIX_ISSUES
from reknit.core.fix_pr.capability import FIX_PR
from reknit.core.fix_tests.capability import FIX_TESTS
from reknit.core.review.capability import REVIEW
from reknit.core.vote.capability import VOTE

CAPABILITIES: dict[str, Capability] = {each.kind: each for each in (FIX_TESTS, FIX_PR, FIX_ISSUES, REVIEW, VOTE)}


def capability_of(kind: str) -> Capability:
    """A kind that this release does not know can still be listed and shown, but not run."""
    return CAPABILITIES.get(kind) or Capability(kind, workflow="", function="")
