"""Turns: how an iteration is remembered and shown, whether it fixed something, tried to, or ended the run."""

from reknit.core.convergence import Round
from reknit.core.course import Course, Fix, Turn
from reknit.core.endings import Ending
from reknit.core.picture import Picture
from reknit.core.pull_record import shown
from reknit.core.pull_request import failing
from reknit.core.pushing import Landed, NotLanded
from reknit.core.stall import signature


def fix_turn(
    course: Course, picture: Picture, seen: Round, move: Fix, end: Landed | NotLanded, spent_usd: float
) -> Turn:
    landed = end if isinstance(end, Landed) else Landed("")
    first, *others = move.parts
    did = f"fix for {first}{', then ' if others else ''}{', '.join(others)}" if landed.commit else _not_landed(end)
    return _turn(course, picture, seen, move.number, did, spent_usd, landed, fixes=len(move.findings), end=end)


def last_turn(course: Course, picture: Picture, seen: Round, ending: Ending) -> Turn:
    return _turn(course, picture, seen, course.number, ending.word, course.spent_usd, Landed(""), fixes=0, end=None)


def _turn(
    course: Course, picture: Picture, seen: Round, number: int, did: str, spent_usd: float, landed: Landed, *,
    fixes: int, end: Landed | NotLanded | None,
) -> Turn:  # fmt: skip
    return Turn(
        number=number,
        head=picture.head,
        review=picture.review.status,
        tests=picture.tests.status,
        ci=picture.ci.status,
        shown=shown(picture),
        did=did,
        signature=signature(failing(picture)),
        seen=seen,
        commit=landed.commit,
        fixes=fixes if landed.commit else 0,
        cost_usd=max(0.0, spent_usd - sum(turn.cost_usd for turn in course.turns)),
        feedback=end.feedback if isinstance(end, NotLanded) else "",
        grown_source=landed.grown_source,
        grown_tests=landed.grown_tests,
        answered=landed.answered,
    )


def _not_landed(end: Landed | NotLanded) -> str:
    return f"nothing landed: {end.why}" if isinstance(end, NotLanded) else ""
