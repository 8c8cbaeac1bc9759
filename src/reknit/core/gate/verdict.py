"""Verdicts: what the gate and the verification say about one attempt."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from reknit.core.gate.waiver import WaiverUse


@dataclass(frozen=True)
class Refusal:
    rule: str
    """The rule's stable id: `protected-test`."""
    path: str
    """Exactly as in the repository. Empty: about the whole change, or a path that cannot be shown as it is."""
    sentence: str
    """For people and for the next attempt's prompt."""


@dataclass(frozen=True)
class GateVerdict:
    refusals: tuple[Refusal, ...]
    rules: tuple[str, ...]
    """Ids of all rules that ran."""
    files: int
    added: int
    removed: int
    allowed: tuple[WaiverUse, ...] = ()
    """What rules would have refused, had a person not allowed it."""
    advice: tuple[Refusal, ...] = ()
    """What rules that guess at an intention saw: it refuses nothing if a check of the behaviour held."""

    @property
    def accepted(self) -> bool:
        return not self.refusals


def refuse_advised(verdict: GateVerdict) -> GateVerdict:
    """For a change whose behaviour no check could judge: advice refuses it. The most telling comes first."""
    said = sorted((*verdict.refusals, *verdict.advice), key=lambda refusal: _place(verdict, refusal))
    return replace(verdict, refusals=tuple(said), advice=())


def advice_lines(advice: Iterable[Refusal]) -> tuple[str, ...]:
    """For people and prompts, one per line."""
    return tuple(f"[{each.rule}] {each.sentence}" for each in advice)


def _place(verdict: GateVerdict, refusal: Refusal) -> int:
    return verdict.rules.index(refusal.rule) if refusal.rule in verdict.rules else 0


def is_unfinished(verdict: GateVerdict) -> bool:
    """No rule of the gate finished."""
    return not verdict.rules
