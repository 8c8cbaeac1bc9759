"""Verdicts: what the gate and the verification say about one attempt."""

from dataclasses import dataclass

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

    @property
    def accepted(self) -> bool:
        return not self.refusals


def is_unfinished(verdict: GateVerdict) -> bool:
    """No rule of the gate finished."""
    return not verdict.rules
