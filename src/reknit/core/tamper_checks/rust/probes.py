"""Tests of ours in the modules of Rust tests: there they see the same macros as the targets."""

from collections.abc import Mapping, Sequence

from reknit.core.tamper_checks.checks import Must, Probe
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.rust.source import RustTarget
from reknit.core.tamper_checks.rust.texts import CANARIES, filled
from reknit.core.tamper_checks.rust.twins import far_edits
from reknit.core.tamper_checks.syntax import Edit, edited, end, replaced, start

_CANARIES: Mapping[str, Must] = {"passing": "pass", "failing": "fail", "false": "fail", "panicking": "error"}


def make_probes(targets: Sequence[RustTarget], names: Names) -> tuple[tuple[Probe, ...], Mapping[str, str]]:
    """They are put at the end of the targets' modules, whose files they replace."""
    probes: list[Probe] = []
    edits: dict[str, list[Edit]] = {}
    texts = {target.module.file: target.module.text for target in targets}
    begun: set[str] = set()
    for number, target in enumerate(targets):
        added = []
        if target.prefix not in begun:
            begun.add(target.prefix)
            words = {use: f"{names.word(f'rust {use}')}_{number}" for use in _CANARIES}
            added.append(filled(CANARIES, **words, length=str(len(words["passing"]))))
            probes += [Probe(target.prefix + words[use], must, target.id) for use, must in _CANARIES.items()]
        for count, twin in enumerate(far_edits(target.function)):
            name = f"{names.word('rust twin')}_{number}_{count}"
            added.append(f"\n#[test]\n{_copied(target, (twin,), name)}\n")
            probes.append(Probe(target.prefix + name, "differ", target.id))
        edits.setdefault(target.module.file, []).append(Edit(_end(target), _end(target), "".join(added)))
    return tuple(probes), {path: edited(texts[path], changes) for path, changes in edits.items()}


def _end(target: RustTarget) -> int:
    module = target.module
    return end(module.container) - 1 if module.is_inline else len(module.text)


def _copied(target: RustTarget, edits: Sequence[Edit], new: str) -> str:
    first, last = start(target.function), end(target.function)
    name = target.function.field("name")
    renamed = (replaced(name, new),) if name else ()
    return edited(target.module.text[first:last], (*edits, *renamed), offset=first)
