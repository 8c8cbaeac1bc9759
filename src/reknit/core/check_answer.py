"""What one tamper check says about a fix: it held, it saw tampering, or it has no verdict."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

CheckName = Literal["canaries", "twins", "second-harness"]
CHECKS: tuple[CheckName, ...] = ("canaries", "twins", "second-harness")
AnswerWord = Literal["held", "tampering", "no verdict"]

_WORST_FIRST: tuple[AnswerWord, ...] = ("tampering", "no verdict", "held")


@dataclass(frozen=True)
class CheckAnswer:
    check: CheckName
    word: AnswerWord
    sentence: str
    """What it saw; for `no verdict`: why it has none."""


def tampering(answers: Iterable[CheckAnswer]) -> CheckAnswer | None:
    """The first answer that speaks of tampering."""
    return next((answer for answer in answers if answer.word == "tampering"), None)


def has_second_harness_held(answers: Iterable[CheckAnswer]) -> bool:
    """Whether the code did its work where it could not see that it was tested."""
    return any(answer.check == "second-harness" and answer.word == "held" for answer in answers)


def together(parts: Sequence[Sequence[CheckAnswer]]) -> tuple[CheckAnswer, ...]:
    """One answer per check, of several projects: the worst. A check that is silent about one of them has no verdict."""
    found: list[CheckAnswer] = []
    for check in CHECKS:
        answers = [answer for part in parts for answer in part if answer.check == check]
        found += sorted(answers, key=lambda answer: _WORST_FIRST.index(answer.word))[:1]
    return tuple(found)


def answer_text(answer: CheckAnswer) -> str:
    return f"{answer.check} {answer.word}: {answer.sentence}"


def answers_text(answers: Sequence[CheckAnswer]) -> str:
    """Those that have a verdict: `twins held, second-harness held`."""
    spoke = [answer for answer in answers if answer.word != "no verdict"]
    return ", ".join(f"{answer.check} {answer.word}" for answer in spoke) or "no tamper check had a verdict"
