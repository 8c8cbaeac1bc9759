"""Tests of ours in the classes of Java tests: there they have the same assertions and extensions as the targets."""

from collections.abc import Mapping, Sequence

from reknit.core.tamper_checks.checks import Must, Probe
from reknit.core.tamper_checks.java.source import JavaTarget, calls
from reknit.core.tamper_checks.java.texts import CANARIES, PLAIN_CHECK, filled
from reknit.core.tamper_checks.java.twins import far_edits
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.syntax import Edit, edited, end, replaced, start

_CANARIES: Mapping[str, Must] = {"passing": "pass", "failing": "fail", "thrown": "fail", "wrong": "error"}


def make_probes(targets: Sequence[JavaTarget], names: Names) -> tuple[tuple[Probe, ...], Mapping[str, str]]:
    """They are put at the end of the targets' classes, whose files they replace."""
    probes: list[Probe] = []
    edits: dict[str, list[Edit]] = {}
    texts = {target.of.file: target.of.text for target in targets}
    for number, target in enumerate(targets):
        added = []
        if target.of.file not in edits:
            words = {use: f"{names.word(f'java {use}')}{number}" for use in _CANARIES}
            added.append(_canaries(target, words, names))
            probes += [Probe(target.sibling(words[use]), must, target.id) for use, must in _CANARIES.items()]
        for count, edit in enumerate(far_edits(target)):
            name = f"{names.word('java twin')}{number}x{count}"
            added.append(f"\n    {_copied(target, edit, name)}\n")
            probes.append(Probe(target.sibling(name), "differ", target.id))
        at = end(target.of.body) - 1
        edits.setdefault(target.of.file, []).append(Edit(at, at, "".join(added)))
    return tuple(probes), {path: edited(texts[path], changes) for path, changes in edits.items()}


def _canaries(target: JavaTarget, words: Mapping[str, str], names: Names) -> str:
    """With the assertion that the test itself uses, if it compares by one."""
    used = (call.text().partition("(")[0].strip() for name, call, _ in calls(target.of.body) if name == "assertEquals")
    own = names.word("java check")
    assertion = next(used, own)
    text = CANARIES if assertion != own else f"{CANARIES}{PLAIN_CHECK}"
    return filled(
        text, **words, **{"assert": assertion}, check=own, annotation="@Test", length=str(len(words["passing"]))
    )


def _copied(target: JavaTarget, edit: Edit, new: str) -> str:
    first, last = start(target.method), end(target.method)
    name = target.method.field("name")
    renamed = (replaced(name, new),) if name else ()
    return edited(target.of.text[first:last], (edit, *renamed), offset=first)
