"""The file of probes beside a target's file: a copy of it with canaries and twins."""

import ast
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reknit.core.tamper_checks.checks import Must, Probe, TargetTest
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.python.canaries import canary_tests
from reknit.core.tamper_checks.python.syntax import Found, find_test, parse
from reknit.core.tamper_checks.python.twins import twins

MOST_TWINNED = 20
"""Targets of one file that get twins."""


@dataclass(frozen=True)
class ProbeFile:
    path: str
    text: str
    probes: Sequence[Probe]


def probe_file(file: str, text: str, tests: Sequence[TargetTest], names: Names) -> ProbeFile | None:
    """None if none of the targets is written in this file as a test."""
    tree = parse(text)
    found = [(test, place) for test in tests if tree and (place := find_test(tree, test))]
    if not tree or not found:
        return None
    path = probe_path(file, names)
    probes = list(_add_twins(found[:MOST_TWINNED], tree, path, names))
    canaries = canary_tests(tree, found[0][1], names)
    tree.body += canaries.nodes
    holder = f"{canaries.holder}::" if canaries.holder else ""
    first = found[0][0].id
    ours = [Probe(f"{path}::{holder}{each.name}", each.must, first) for each in canaries.canaries]
    return ProbeFile(path, ast.unparse(ast.fix_missing_locations(tree)) + "\n", [*ours, *probes])


def probe_path(file: str, names: Names) -> str:
    """Beside the target, with a name that the same pattern matches."""
    folder, name = posixpath.split(file)
    stem, word = name.removesuffix(".py"), names.word(f"probe {file}")
    end = next((each for each in ("_test", "_tests") if stem.endswith(each)), "")
    return posixpath.join(folder, f"{word}{end}.py" if end and not stem.startswith("test_") else f"test_{word}.py")


def _add_twins(found: Sequence[tuple[TargetTest, Found]], tree: ast.Module, path: str, names: Names) -> Iterator[Probe]:
    """Each beside its original, so that it has the same fixtures and the same class around it."""
    written: set[str] = set()
    for test, place in found:
        inside = test.id.removeprefix(f"{test.file}::")
        if place.function is None or inside.partition("[")[0] in written:
            continue
        written.add(inside.partition("[")[0])
        outer = inside.partition("[")[0].rpartition("::")[0]
        for number, twin in enumerate(twins(place.function)):
            twin.function.name = f"test_{names.word(f'twin {inside} {number}')}"
            (place.holder or tree).body.append(twin.function)
            name = twin.function.name + (place.parameters if twin.parameters is None else twin.parameters)
            must: Must = "differ by one" if twin.is_near else "differ"
            yield Probe("::".join(filter(None, (path, outer, name))), must, test.id)
