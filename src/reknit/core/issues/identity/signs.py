"""The signs by which a known issue is recognised in a new report, from the surest to the weakest."""

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from operator import attrgetter

from reknit.core.issues.identity.fingerprint import DIGEST
from reknit.core.issues.identity.rule_concepts import NAMING
from reknit.core.issues.lifecycle import STATUSES, TO_DO, Status
from reknit.core.issues.model import KnownIssue, LocatedResult

Look = Callable[[KnownIssue | LocatedResult], Hashable]
NEAR = 3
"""Lines."""
LIVE = TO_DO
"""These stay in sight. Any other is recognised by its text and its words only: else it could silence a new problem."""


@dataclass(frozen=True)
class Sign:
    look: Look
    """Issue and result must have the same."""
    lone: Collection[Status] = ()
    """Issues of these statuses are found anywhere in the file, if no other issue and no other result has that look."""
    against: Look | None = None
    """Such a lone pair does not count when this look would give one of the two to another."""
    near: Collection[Status] = ()
    """Issues of these statuses are found where they are expected, or up to `reach` lines from there."""
    reach: int = NEAR
    far: Collection[Status] = ()
    """Issues of these statuses are found anywhere, in the order of their lines."""


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
    """The words kept of an issue are one tool's: they cannot be compared with those of another that told of it too."""
    return isinstance(one, LocatedResult) or len(one.tools) > 1


_surroundings: Look = attrgetter("wide")
_line: Look = attrgetter("own")
_surroundings_and_message: Look = attrgetter("wide", "said")
_line_and_message: Look = attrgetter("own", "said")

SAME_TOOL = (
    Sign(_surroundings_and_message, lone=STATUSES, near=STATUSES),
    Sign(_surroundings_and_words, lone=STATUSES, near=STATUSES),
    Sign(_surroundings, lone=LIVE, near=LIVE),
    # One side of it has changed. The end of a moved function may stand before what followed another one's end.
    Sign(_after_and_line, lone=LIVE, against=_before_and_line),
    Sign(_before_and_line, lone=LIVE, against=_after_and_line),
    Sign(_line_and_message, near=STATUSES, reach=0),
    Sign(_line_and_words, near=STATUSES, reach=0),
    Sign(_before_and_line, lone=LIVE, near=LIVE, far=LIVE),
    Sign(_after_and_line, lone=LIVE, near=LIVE, far=LIVE),
    Sign(_surroundings_and_message, far=STATUSES),
    Sign(_surroundings_and_words, far=STATUSES),
    Sign(_surroundings, far=LIVE),
    # Both sides have changed, or one side and the line's own form.
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
"""Before equal words the very same message: what a person silenced must not take another one's place."""
ANOTHER_TOOL = (
    Sign(_surroundings, lone=STATUSES),
    Sign(_line, lone=LIVE),
    Sign(_surroundings, near=STATUSES, far=STATUSES),
    Sign(_line, near=STATUSES),
)
"""For issues that this report's tools have not told of: the columns of two tools differ more often than their lines."""
