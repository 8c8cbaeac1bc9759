"""What one rule sees in a change, sorted: refused, or allowed by a person."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from reknit.core.gate.scope import Scope
from reknit.core.gate.verdict import Refusal
from reknit.core.gate.waiver import WaiverUse
from reknit.core.repository.change import EXECUTABLE, REGULAR, Change, FileChange

Look = Callable[[Change, Scope], Iterable[Refusal]]
_OF_THE_WHOLE = ""
"""The path of a refusal that is about the whole change."""
_PLAIN = (0, REGULAR, EXECUTABLE)


def sort_out(rule: str, look: Look, change: Change, scope: Scope) -> tuple[list[Refusal], list[WaiverUse]]:
    """A rule about the whole change looks again without the files that are allowed: they are not counted."""
    refusals = list(look(change, scope))
    if not refusals or not scope.waivers.allowed:
        return refusals, []
    uses = {file.path: use for file in change.files if (use := _use(rule, file, scope))}
    refused = [refusal for refusal in refusals if refusal.path not in uses]
    if uses and any(refusal.path == _OF_THE_WHOLE for refusal in refused):
        counted = replace(change, files=tuple(file for file in change.files if file.path not in uses))
        refused = list(look(counted, scope))
        return refused, [] if refused else list(uses.values())
    return refused, [use for path, use in uses.items() if any(refusal.path == path for refusal in refusals)]


def _use(rule: str, file: FileChange, scope: Scope) -> WaiverUse | None:
    """Only plain files: a link or a submodule stands for something else than its path."""
    waiver = scope.waivers.waiver_for(rule, file.path)
    if waiver is None or file.mode_before not in _PLAIN or file.mode_after not in _PLAIN:
        return None
    return WaiverUse(rule, file.path, waiver.reason, waiver.origin)
