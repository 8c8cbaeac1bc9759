"""Describes the answer of one tamper check: it held, it saw tampering, or it has no verdict."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

CheckName = Literal["canaries", "twins", "second-harness"]
CHECKS: tuple[CheckName, ...] = ("canaries", "twins", "second-harness")
AnswerWord = Literal["held", "tampering", "no verdict"]

_WORST_FIRST: tuple[AnswerWord, ...] = ("tampering", "no verdict", "held")


@dataclass(frozen=True)
class CheckAnswer:
    """The answer of one tamper check."""

    check: CheckName
    word: AnswerWord
    sentence: str
    """The observation; for `no verdict`: the reason."""
    applies: bool = True
    """False: there is nothing in these tests that the check could be made of."""


def find_tampering(answers: Iterable[CheckAnswer]) -> CheckAnswer | None:
    """Return the first answer that speaks of tampering."""
    return next((answer for answer in answers if answer.word == "tampering"), None)


def has_held(check: CheckName, answers: Iterable[CheckAnswer]) -> bool:
    """Return whether this check held."""
    return any(answer.check == check and answer.word == "held" for answer in answers)


def shows_harmless(rule: str, answers: Sequence[CheckAnswer]) -> bool:
    """Tell whether the checks speak for a change that this rule of the gate suspects.

    Canaries and twins run under the test runner, so they cannot see code that notices it: the second harness must.
    """
    twins = [answer for answer in answers if answer.check == "twins"]
    hold = twins and has_held("canaries", answers) and all(each.word == "held" or not each.applies for each in twins)
    return has_held("second-harness", answers) or (bool(hold) and rule != "test-awareness")


def merge_answers(parts: Sequence[Sequence[CheckAnswer]]) -> tuple[CheckAnswer, ...]:
    """Return the worst answer per check of several projects. A check that is silent about one has no verdict."""
    worst: list[CheckAnswer] = []
    for check in CHECKS:
        answers = [answer for part in parts for answer in part if answer.check == check]
        worst += sorted(answers, key=lambda answer: (_WORST_FIRST.index(answer.word), not answer.applies))[:1]
    return tuple(worst)


def render_answer(answer: CheckAnswer) -> str:
    """Return one answer with its reason."""
    return f"{answer.check} {answer.word}: {answer.sentence}"


def render_answers(answers: Sequence[CheckAnswer]) -> str:
    """Return the answers that have a verdict: `twins held, second-harness held`."""
    spoke = [answer for answer in answers if answer.word != "no verdict"]
    return ", ".join(f"{answer.check} {answer.word}" for answer in spoke) or "no tamper check had a verdict"
