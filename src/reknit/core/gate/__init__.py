"""The gate: pure rules over what an attempt changed. It accepts, or refuses with reasons a person can read."""

from reknit.core.gate.judge import RULES, Rule, judge, refuse_unread
from reknit.core.gate.scope import Scope

__all__ = ["RULES", "Rule", "Scope", "judge", "refuse_unread"]
