"""Tests of ours in the files of Go tests: one that must pass, one that must fail, and twins of the targets.

None that panics: it would end the program, and with it the tests that wait because they are parallel.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reknit.core.tamper_checks.checks import Probe
from reknit.core.tamper_checks.go.source import GoFile, parameter
from reknit.core.tamper_checks.go.texts import CANARIES, filled
from reknit.core.tamper_checks.go.twins import far_edits
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.syntax import Edit, Node, edited, end, replaced, start


@dataclass(frozen=True)
class GoTarget:
    """A test function with targets in it: itself, or its subtests."""

    ids: tuple[str, ...]
    folder: str
    name: str
    file: GoFile
    function: Node


@dataclass
class _Additions:
    texts: dict[str, str] = field(default_factory=dict)
    probes: list[Probe] = field(default_factory=list)


def make_probes(targets: Sequence[GoTarget], names: Names) -> tuple[tuple[Probe, ...], Mapping[str, str]]:
    """They are put at the end of the targets' own files, where everything is imported that twins need."""
    added = _Additions()
    for number, target in enumerate(targets):
        if target.file.path not in added.texts:
            added.texts[target.file.path] = target.file.text.rstrip("\n") + "\n"
            _add_canaries(added, target, names, number)
        _add_twins(added, target, names, number)
    return tuple(added.probes), added.texts


def _add_canaries(added: _Additions, target: GoTarget, names: Names, number: int) -> None:
    passing, failing = (f"{names.title(use)}{number}" for use in ("go passing", "go failing"))
    t, kind = parameter(target.function)
    added.texts[target.file.path] += filled(
        CANARIES, passing=passing, failing=failing, reporter=f"{t} {kind}", t=t, length=str(len(passing))
    )
    added.probes.append(Probe(f"{target.folder}::Test{passing}", "pass", target.ids[0]))
    added.probes.append(Probe(f"{target.folder}::Test{failing}", "fail", target.ids[0]))


def _add_twins(added: _Additions, target: GoTarget, names: Names, number: int) -> None:
    name = target.function.field("name")
    for count, edits in enumerate(far_edits(target.function)):
        twin = f"Test{names.title('go twin')}{number}x{count}"
        renamed = (replaced(name, twin),) if name else ()
        added.texts[target.file.path] += f"\n{_copied(target, (*edits, *renamed))}\n"
        added.probes.append(Probe(f"{target.folder}::{twin}", "differ", target.ids[0]))


def _copied(target: GoTarget, edits: Sequence[Edit]) -> str:
    first, last = start(target.function), end(target.function)
    return edited(target.file.text[first:last], edits, offset=first)
