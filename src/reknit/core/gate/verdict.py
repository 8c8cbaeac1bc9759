"""Describes the verdict of the gate on one attempt."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from reknit.core.gate.waiver import WaiverUse


@dataclass(frozen=True)
class Refusal:
    """One reason against a change."""

    rule: str
    """The rule's stable id: `protected-test`."""
    path: str
    """Path in the repository. Empty: the refusal is about the whole change, or the path cannot be shown as it is."""
    sentence: str
    """For people and for the next attempt's prompt."""


@dataclass(frozen=True)
class GateVerdict:
    """The combined answer of all rules."""

    refusals: tuple[Refusal, ...]
    rules: tuple[str, ...]
    """Ids of all rules that ran."""
    files: int
    added: int
    removed: int
    allowed: tuple[WaiverUse, ...] = ()
    """Refusals that a person waived."""
    advice: tuple[Refusal, ...] = ()
    """Refusals of rules that guess at an intention. They do not count if a check of the behaviour held."""

    @property
    def is_accepted(self) -> bool:
        return not self.refusals


def refuse_advised(verdict: GateVerdict) -> GateVerdict:
    """Turn advice into refusals, because no check could judge the behaviour. They keep the order of the rules."""
    refusals = sorted(
        (*verdict.refusals, *verdict.advice),
        key=lambda refusal: verdict.rules.index(refusal.rule) if refusal.rule in verdict.rules else 0,
    )
    return replace(verdict, refusals=tuple(refusals), advice=())


def render_advice(advice: Iterable[Refusal]) -> tuple[str, ...]:
    """Return a line per advice, for people and prompts."""
    return tuple(f"[{refusal.rule}] {refusal.sentence}" for refusal in advice)


def is_unfinished(verdict: GateVerdict) -> bool:
    """Return True if no rule of the gate finished."""
    return not verdict.rules
