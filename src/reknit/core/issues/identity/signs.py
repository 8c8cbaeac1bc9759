"""The signs by which a known issue is recognised in a new report, from the strongest to the weakest."""

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from operator import attrgetter

from reknit.core.issues.identity.fingerprint import DIGEST
from reknit.core.issues.identity.rule_concepts import NAMING
from reknit.core.issues.lifecycle import STATUSES, TO_DO, Status
from reknit.core.issues.model import KnownIssue, LocatedResult

Look = Callable[[KnownIssue | LocatedResult], Hashable]
NEAR = 3
"""In lines."""
LIVE = TO_DO
"""These stay visible. Any other is recognised only by its text and words, or it could silence a new problem."""


@dataclass(frozen=True)
class Sign:
    look: Look
    """Must be the same for issue and result."""
    lone: Collection[Status] = ()
    """Issues with these statuses match anywhere in the file, if no other issue and no other result has that look."""
    against: Look | None = None
    """Such a lone pair does not count if this look would pair one of the two with another."""
    near: Collection[Status] = ()
    """Issues with these statuses match where they are expected, or up to `reach` lines from there."""
    reach: int = NEAR
    far: Collection[Status] = ()
    """Issues with these statuses match anywhere, in line order."""


def _after(one: KnownIssue | LocatedResult) -> bytes:
    return one.wide[:DIGEST]


def _before(one: KnownIssue | LocatedResult) -> bytes:
    return one.wide[DIGEST:]


def _after_and_line(one: KnownIssue | LocatedResult) -> Hashable:
    return one.wide[:DIGEST], one.own


def _before_and_line(one: KnownIssue | LocatedResult) -> Hashable:
    return one.wide[DIGEST:], one.own


def _telling_line(one: KnownIssue | LocatedResult) -> Hashable:
    return one.own if len(one.own) == DIGEST else type(one)


def _telling_line_and_message(one: KnownIssue | LocatedResult) -> Hashable:
    return (one.own, one.said) if len(one.own) == DIGEST else type(one)


def _telling_line_and_words(one: KnownIssue | LocatedResult) -> Hashable:
    return (one.own, one.said[:DIGEST]) if len(one.own) == DIGEST else type(one)


def _after_and_message(one: KnownIssue | LocatedResult) -> Hashable:
    return one.wide[:DIGEST], one.said


def _after_and_words(one: KnownIssue | LocatedResult) -> Hashable:
    return one.wide[:DIGEST], one.said[:DIGEST]


def _surroundings_and_words(one: KnownIssue | LocatedResult) -> Hashable:
    return one.wide, one.said[:DIGEST]


def _line_and_words(one: KnownIssue | LocatedResult) -> Hashable:
    return one.own, one.said[:DIGEST]


def _words(one: KnownIssue | LocatedResult) -> bytes:
    return one.said[:DIGEST]


def _name_meant(one: KnownIssue | LocatedResult) -> Hashable:
    return _words(one) if one.concept in NAMING else type(one)


def _told_by_several(one: KnownIssue | LocatedResult) -> bool:
    """An issue keeps one tool's words: they cannot be compared with those of another tool that also reported it."""
    return isinstance(one, LocatedResult) or len(one.tools) > 1


_surroundings: Look = attrgetter("wide")
_line: Look = attrgetter("own")
_surroundings_and_message: Look = attrgetter("wide", "said")
_line_and_message: Look = attrgetter("own", "said")

SAME_TOOL = (
    Sign(_surroundings_and_message, lone=STATUSES, near=STATUSES),
    Sign(_surroundings_and_words, lone=STATUSES, near=STATUSES),
    Sign(_surroundings, lone=LIVE, near=LIVE),
    # One side has changed. The end of a moved function may now precede what followed the end of another.
    Sign(_after_and_line, lone=LIVE, against=_before_and_line),
    Sign(_before_and_line, lone=LIVE, against=_after_and_line),
    Sign(_line_and_message, near=STATUSES, reach=0),
    Sign(_line_and_words, near=STATUSES, reach=0),
    Sign(_before_and_line, lone=LIVE, near=LIVE, far=LIVE),
    Sign(_after_and_line, lone=LIVE, near=LIVE, far=LIVE),
    Sign(_surroundings_and_message, far=STATUSES),
    Sign(_surroundings_and_words, far=STATUSES),
    Sign(_surroundings, far=LIVE),
    # Both sides have changed, or one side and the form of the line itself.
    Sign(_line_and_message, near=STATUSES),
    Sign(_line_and_words, near=STATUSES),
    Sign(_line, near=LIVE),
    Sign(_after_and_message, lone=STATUSES, near=STATUSES, far=STATUSES),
    Sign(_after_and_words, lone=STATUSES, near=STATUSES, far=STATUSES),
    Sign(_after, lone=LIVE, near=LIVE, far=LIVE),
    Sign(_before, lone=LIVE, near=LIVE, far=LIVE),
    Sign(_telling_line_and_message, lone=STATUSES),
    Sign(_telling_line_and_words, lone=STATUSES),
    Sign(_telling_line, lone=LIVE),
    Sign(_line_and_words, lone=LIVE, far=LIVE),
    Sign(_line, lone=LIVE, far=LIVE),
    # The line was edited.
    Sign(_name_meant, lone=LIVE),
    Sign(_words, near=LIVE),
    Sign(_told_by_several, near=LIVE),
)
"""Identical messages come before equal words: what a person silenced must not take another issue's place."""
ANOTHER_TOOL = (
    Sign(_surroundings, lone=STATUSES),
    Sign(_line, lone=LIVE),
    Sign(_surroundings, near=STATUSES, far=STATUSES),
    Sign(_line, near=STATUSES),
)
"""For issues that this report's tools have not reported: two tools differ in columns more often than in lines."""
