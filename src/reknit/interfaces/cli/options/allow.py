"""`--allow RULE:PATH`: what a person allows the gate to accept, for one run. No file or variable sets it."""

from collections.abc import Sequence

from reknit.core.gate.waiver import Waiver, parse_typed
from reknit.interfaces.cli.options.settings import setting


def _waivers(given: Sequence[str]) -> tuple[Waiver, ...]:
    return tuple(map(parse_typed, given))


ALLOW = setting(
    "--allow", "gate.allow", _waivers, multiple=True, metavar="RULE:PATH",
    help="for this run, let this rule of the gate accept this file or pattern; may be given several times",
)  # fmt: skip
