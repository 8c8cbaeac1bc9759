"""A batch whose change only a person may allow: no further attempt is paid for, and the reason says what to type."""

from collections.abc import Sequence
from dataclasses import replace

from reknit.core.fix_issues.progress import BatchAttempt
from reknit.core.gate.needed_waivers import blocked_text, needed_waivers, needs_a_person, only_a_person_helps
from reknit.core.gate.verdict import GateVerdict
from reknit.core.gate.waiver import Waivers


def after_verdict(
    tried: BatchAttempt, verdict: GateVerdict, waivers: Waivers, before: Sequence[BatchAttempt], attempts: int,
    plan: str = "",
) -> BatchAttempt:  # fmt: skip
    """`before`: earlier attempts on the same work; `attempts`: how many there may be; `plan`: that of a variant."""
    needed = needed_waivers(verdict, waivers)
    if not needed:
        return tried
    final = needs_a_person(needed, before[-1].needed if before else (), at_once=only_a_person_helps(verdict))
    is_last = final or len(before) + 1 >= attempts  # an agent that is asked again must not read what a person types
    return replace(tried, needed=needed, final=final, why=blocked_text(needed, waivers, plan) if is_last else tried.why)
