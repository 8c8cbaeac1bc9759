"""All capabilities, by the kind of run. A new one is registered here."""

from functools import cache
from pkgutil import resolve_name

from reknit.core.capability import Capability

CAPABILITIES: dict[str, str] = {
    "fix tests": "reknit.core.fix_tests.capability:FIX_TESTS",
    "fix pr": "reknit.core.fix_pr.capability:FIX_PR",
    "fix issues": "reknit.core.fix_issues.capability:FIX_ISSUES",
    "review": "reknit.core.review.capability:REVIEW",
    "hook check": "reknit.core.hook.capability:HOOK_CHECK",
    "plan": "reknit.core.plan.capability:PLAN",
    "vote": "reknit.core.vote.capability:VOTE",
}
"""Kind -> `module:name`; imported when it is needed, because a command that starts a run needs only its own."""
UNLISTED_KINDS = ("hook check",)
"""Kinds that lists leave out unless asked for: an agent's window starts such a run whenever it stops."""


@cache
def find_capability(kind: str) -> Capability:
    """Return the capability of a kind. A kind that this release does not know can be listed and shown, but not run."""
    if kind not in CAPABILITIES:
        return Capability(kind)
    capability: Capability = resolve_name(CAPABILITIES[kind])
    return capability
