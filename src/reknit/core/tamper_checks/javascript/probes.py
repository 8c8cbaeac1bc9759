"""Files of probes beside a target's file: canaries, and copies of it that expect other values."""

from collections.abc import Sequence
from typing import NamedTuple

from reknit.core.tamper_checks.checks import Must, Probe, TargetTest
from reknit.core.tamper_checks.javascript.comparisons import Comparison, comparisons, far_change
from reknit.core.tamper_checks.javascript.file_names import collected_beside, language_of
from reknit.core.tamper_checks.javascript.imports import head
from reknit.core.tamper_checks.javascript.registered_tests import RegisteredTest, registered_tests
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.syntax import Edit, Node, edited, parse
from reknit.core.testing.reported import NESTED

MOST_TWINS = 3
"""Of one target."""
_SIMPLE = ("it", "test", "specify")


class ProbeFiles(NamedTuple):
    probes: tuple[Probe, ...]
    files: dict[str, str]


def separator(runner: str) -> str:
    """Between titles in an id: mocha's reports have them with spaces between."""
    return " " if runner == "mocha" else NESTED


def name_of(test: TargetTest) -> str | None:
    """Its titles as one text; empty for a file as a whole, None for an id that is not of the file."""
    file, _, name = test.id.partition("::")
    return name if file == test.file else None


def probe_files(file: str, text: str, tests: Sequence[TargetTest], runner: str, names: Names) -> ProbeFiles:
    root = parse(text, language_of(file))
    calls = list(registered_tests(root))
    canaries = _canaries(file, root, calls, tests[0], names)
    twins = _twins(file, text, calls, tests, separator(runner), names)
    return ProbeFiles((*canaries.probes, *twins.probes), {**canaries.files, **twins.files})


def _canaries(file: str, root: Node, calls: Sequence[RegisteredTest], test: TargetTest, names: Names) -> ProbeFiles:
    callee = next((call.callee for call in calls if call.callee in _SIMPLE), "")
    if not callee:
        return ProbeFiles((), {})
    forms = (comparison.form for call in calls for comparison in comparisons(call.body))
    form = next(forms, "")
    path = collected_beside(file, names.word(f"canaries of {file}"))
    bodies: dict[Must, str] = {
        "pass": form.format("2", "2"),
        "fail": form.format("1", "2"),
        "error": 'throw new Error("no")',
    }
    given = "t" if form.startswith("t.") else ""
    lines, probes = [head(root)], []
    for must, body in bodies.items():
        if must == "fail" and not form:
            continue
        title = names.word(f"canary {must} of {file}")
        lines.append(f'{callee}("{title}", ({given}) => {{\n  {body};\n}});')
        probes.append(Probe(f"{path}::{title}", must, test.id))
    return ProbeFiles(tuple(probes), {path: "\n\n".join(lines) + "\n"})


def _twins(
    file: str, text: str, calls: Sequence[RegisteredTest], tests: Sequence[TargetTest], between: str, names: Names
) -> ProbeFiles:
    probes: list[Probe] = []
    edits: list[list[Edit]] = [[] for _ in range(MOST_TWINS)]
    for test in tests:
        for number, edit in enumerate(_edits(_comparisons(test, calls, between), names)[:MOST_TWINS]):
            edits[number].append(edit)
            probes.append(Probe(f"{_copy(file, number, names)}::{name_of(test)}", "differ", test.id))
    files = {_copy(file, number, names): edited(text, each) for number, each in enumerate(edits) if each}
    return ProbeFiles(tuple(probes), files)


def _copy(file: str, number: int, names: Names) -> str:
    return collected_beside(file, names.word(f"copy {number} of {file}"))


def _comparisons(test: TargetTest, calls: Sequence[RegisteredTest], between: str) -> list[Comparison]:
    found = [call for call in calls if between.join(call.titles) == name_of(test)]
    return list(comparisons(found[0].body)) if len(found) == 1 else []


def _edits(found: Sequence[Comparison], names: Names) -> list[Edit]:
    changes = (far_change(each.expected, names.word(f"value {number}")) for number, each in enumerate(found))
    return [change for change in changes if change]
