"""Red tests that no agent is given, because the environment broke them."""

from collections.abc import Collection, Mapping, Sequence

from reknit.core.causes.cause import Cause, Verdict
from reknit.core.text.format import counted, first_and_more, first_few, one_line

LeftOut = tuple[tuple[str, ...], str, str]
"""(tests, why they are red, what a person can do)."""
MOST_REASONS = 5


def left_out_of(causes: Mapping[str, Cause], verdict: Verdict = "environment") -> tuple[LeftOut, ...]:
    """One entry per reason, of the causes by test."""
    tests: dict[tuple[str, str], list[str]] = {}
    for test, cause in causes.items():
        if cause.verdict == verdict:
            tests.setdefault((cause.sentence, cause.remedy), []).append(test)
    return tuple((tuple(names), sentence, remedy) for (sentence, remedy), names in tests.items())


def without_result(cause: Cause) -> tuple[LeftOut, ...]:
    """For a suite that gave no result; empty if the environment is not known to be the reason."""
    return (((), cause.sentence, cause.remedy),) if cause.verdict == "environment" else ()


def left_out_text(left_out: Sequence[LeftOut]) -> str:
    """What is red because of the environment, and what helps."""
    parts = ((f"{_named(tests)}{one_line(why)}", one_line(remedy)) for tests, why, remedy in left_out)
    return first_and_more(["; ".join(filter(None, part)) for part in parts], MOST_REASONS, between="; ")


def doubt_text(doubts: Sequence[LeftOut], tests: Collection[str]) -> str:
    """Render why each of these tests may be the environment's fault; empty if none is in doubt."""
    open_doubts = [(why, remedy) for names, why, remedy in doubts if not {*names}.isdisjoint(tests)]
    reasons = [one_line("; ".join(filter(None, doubt))) for doubt in open_doubts]
    head = "; in doubt, so with one attempt each, because the environment may be at fault: "
    return head + first_and_more(reasons, MOST_REASONS, between="; ") if reasons else ""


def _named(tests: Sequence[str]) -> str:
    if not tests:
        return ""
    return f"{counted(len(tests), 'test')}, not the code's fault ({first_few([*map(one_line, tests)])}): "
