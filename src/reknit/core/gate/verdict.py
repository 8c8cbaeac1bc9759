"""Verdicts: what the gate and the verification say about one attempt."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Refusal:
    rule: str
    """The rule's stable id: `protected-path`."""
    path: str
    sentence: str
    """For people and for the next attempt's prompt."""


@dataclass(frozen=True)
class GateVerdict:
    refusals: tuple[Refusal, ...]
    rules: tuple[str, ...]
    """Ids of all the rules that looked."""
    files: int
    added: int
    removed: int

    @property
    def accepted(self) -> bool:
        return not self.refusals


def is_unfinished(verdict: GateVerdict) -> bool:
    """No rule of the gate came to its end."""
    return not verdict.rules
