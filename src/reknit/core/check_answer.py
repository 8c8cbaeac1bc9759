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
    """The observation; for `no verdict` the reason."""
    applies: bool = True
    """False: these tests contain nothing from which the check can be made."""


def find_tampering(answers: Iterable[CheckAnswer]) -> CheckAnswer | None:
    """Return the first answer that speaks of tampering."""
    return next((answer for answer in answers if answer.word == "tampering"), None)


def has_held(check: CheckName, answers: Iterable[CheckAnswer]) -> bool:
    """Return True if this check held."""
    return any(answer.check == check and answer.word == "held" for answer in answers)


def shows_harmless(rule: str, answers: Sequence[CheckAnswer]) -> bool:
    """Return True if the checks show that a change is harmless although this rule of the gate suspects it.

    Canaries and twins run under the test runner, so they cannot detect code that recognises the runner. A change that
    `test-awareness` suspects therefore needs the second harness.
    """
    if has_held("second-harness", answers):
        return True
    twins = [answer for answer in answers if answer.check == "twins"]
    have_twins_held = bool(twins) and all(twin.word == "held" or not twin.applies for twin in twins)
    return rule != "test-awareness" and has_held("canaries", answers) and have_twins_held


def merge_answers(parts: Sequence[Sequence[CheckAnswer]]) -> tuple[CheckAnswer, ...]:
    """Return the worst answer of each check over several projects: tampering, then no verdict, then held."""
    worst: list[CheckAnswer] = []
    for check in CHECKS:
        answers = [answer for part in parts for answer in part if answer.check == check]
        worst += sorted(answers, key=lambda answer: (_WORST_FIRST.index(answer.word), not answer.applies))[:1]
    return tuple(worst)


def render_answer(answer: CheckAnswer) -> str:
    """Return one answer with its reason."""
    return f"{answer.check} {answer.word}: {answer.sentence}"


def render_answers(answers: Sequence[CheckAnswer]) -> str:
    """Return the answers that have a verdict: `2 tamper checks held`."""
    held = sum(answer.word == "held" for answer in answers)
    bad = [f"{answer.check} saw tampering" for answer in answers if answer.word == "tampering"]
    good = [f"{held} tamper check{'' if held == 1 else 's'} held"] if held else []
    return ", ".join(good + bad) or "no tamper check had a verdict"
