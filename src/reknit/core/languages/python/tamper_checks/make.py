"""Makes the checks for tests of pytest, unittest or Django: probe files beside the targets, and the second harness."""

import ast
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reknit.core.check_answer import CheckName
from reknit.core.languages.python.tamper_checks.driver import make_harness
from reknit.core.languages.python.tamper_checks.syntax import TargetPlace, find_test, parse
from reknit.core.languages.python.tamper_checks.twins import make_twins
from reknit.core.tamper_checks.checks import Must, Names, Probe, TamperChecks, Targets, TargetTest

_MAX_TWINNED_TARGETS = 20
"""Maximum number of targets of one file that get twins."""
MAX_FILES = 10
"""Maximum number of test files that get a file of probes."""


@dataclass(frozen=True)
class Canary:
    """A test with a known result."""

    name: str
    must: Must
    body: str
    """Source of its only statement."""


@dataclass(frozen=True)
class CanaryTests:
    """The canaries of one file."""

    nodes: Sequence[ast.stmt]
    """Statements for the end of the file."""
    holder: str
    """Name of the class around them; empty if they are functions."""
    canaries: Sequence[Canary]


def build_canary_tests(tree: ast.Module, target: TargetPlace, names: Names) -> CanaryTests:
    """Build one test that must pass, one that must fail and one that must raise, like the target."""
    bases = [ast.unparse(base) for base in target.holder.bases] if target.holder else []
    canaries = tuple(_list_canaries(tree, target, names, is_case=bool(bases)))
    if not bases:
        text = "\n\n".join(f"def {canary.name}():\n    {canary.body}" for canary in canaries)
        return CanaryTests(ast.parse(text).body, "", canaries)
    holder = f"Test{names.make_title('canary class')}"
    methods = "\n\n".join(f"    def {canary.name}(self):\n        {canary.body}" for canary in canaries)
    return CanaryTests(ast.parse(f"class {holder}({', '.join(bases)}):\n{methods}").body, holder, canaries)


def _list_canaries(tree: ast.Module, target: TargetPlace, names: Names, *, is_case: bool) -> Iterator[Canary]:
    number = 1000 + names.choose("canary number", 9000)
    yield Canary(_name_canary(names, "pass"), "pass", _render_comparison(str(number), str(number), is_case=is_case))
    yield Canary(_name_canary(names, "fail"), "fail", _render_comparison(str(number), str(number + 1), is_case=is_case))
    yield Canary(_name_canary(names, "error"), "error", f"raise RuntimeError({names.make_word('canary error')!r})")
    call = find_simple_call(tree, target)
    if call:
        yield Canary(
            _name_canary(names, "wrong"), "fail", _render_comparison(call, f"{number}{number}", is_case=is_case)
        )


def _name_canary(names: Names, use: str) -> str:
    return f"test_{names.make_word(f'canary {use}')}"


def _render_comparison(actual: str, expected: str, *, is_case: bool) -> str:
    return f"self.assertEqual({actual}, {expected})" if is_case else f"assert {actual} == {expected}"


def find_simple_call(tree: ast.Module, target: TargetPlace) -> str:
    """Return a call in the target of an imported name with only constants; empty if there is none."""
    imported = {
        alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    for node in ast.walk(target.function) if target.function else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in imported:
            values = [*node.args, *(keyword.value for keyword in node.keywords)]
            if values and all(isinstance(value, ast.Constant) for value in values):
                return ast.unparse(node)
    return ""


@dataclass(frozen=True)
class ProbeFile:
    """A copy of a target's file with canaries and twins."""

    path: str
    text: str
    probes: Sequence[Probe]


def build_probe_file(file: str, text: str, tests: Sequence[TargetTest], names: Names) -> ProbeFile | None:
    """Build the copy; None if the file contains none of the targets."""
    tree = parse(text)
    places = [(test, place) for test in tests if tree and (place := find_test(tree, test))]
    if not tree or not places:
        return None
    path = choose_probe_path(file, names)
    probes = list(_add_twins(places[:_MAX_TWINNED_TARGETS], tree, path, names))
    canaries = build_canary_tests(tree, places[0][1], names)
    tree.body += canaries.nodes
    holder = f"{canaries.holder}::" if canaries.holder else ""
    first = places[0][0].id
    ours = [Probe(f"{path}::{holder}{canary.name}", canary.must, first) for canary in canaries.canaries]
    return ProbeFile(path, ast.unparse(ast.fix_missing_locations(tree)) + "\n", [*ours, *probes])


def choose_probe_path(file: str, names: Names) -> str:
    """Return a path beside the target, with a name that the runner's pattern for test files also matches."""
    folder, name = posixpath.split(file)
    stem, word = name.removesuffix(".py"), names.make_word(f"probe {file}")
    end = next((suffix for suffix in ("_test", "_tests") if stem.endswith(suffix)), "")
    return posixpath.join(folder, f"{word}{end}.py" if end and not stem.startswith("test_") else f"test_{word}.py")


def _add_twins(
    places: Sequence[tuple[TargetTest, TargetPlace]], tree: ast.Module, path: str, names: Names
) -> Iterator[Probe]:
    """Add each twin beside its original, so that it has the same fixtures and the same class around it."""
    twinned_tests: set[str] = set()
    for test, place in places:
        inside = test.id.removeprefix(f"{test.file}::")
        if place.function is None or inside.partition("[")[0] in twinned_tests:
            continue
        twinned_tests.add(inside.partition("[")[0])
        outer = inside.partition("[")[0].rpartition("::")[0]
        for number, twin in enumerate(make_twins(place.function)):
            twin.function.name = f"test_{names.make_word(f'twin {inside} {number}')}"
            (place.holder or tree).body.append(twin.function)
            name = twin.function.name + (place.parameters if twin.parameters is None else twin.parameters)
            must: Must = "differ by one" if twin.is_near else "differ"
            yield Probe("::".join(filter(None, (path, outer, name))), must, test.id)


def make(targets: Targets, names: Names) -> TamperChecks:
    """Make the checks for the targets, with the reason for each check that cannot be made."""
    probes: list[Probe] = []
    files: dict[str, str] = {}
    for file in sorted({test.file for test in targets.tests})[:MAX_FILES]:
        probes_of_file = build_probe_file(
            file, targets.files.get(file, ""), [test for test in targets.tests if test.file == file], names
        )
        if probes_of_file and probes_of_file.path not in targets.tracked:
            files[probes_of_file.path] = probes_of_file.text
            probes += probes_of_file.probes
    harness = make_harness(targets, names)
    why_not: dict[CheckName, str] = {}
    if not probes:
        why_not["canaries"] = "no target is a function or a method of its file"
    if not any(probe.must == "differ" for probe in probes):
        why_not["twins"] = "no target compares a value that is written down"
    if not harness:
        why_not["second-harness"] = "no target can be called without its runner"
    return TamperChecks(tuple(probes), files, harness, why_not)


def _fail_python(text: str, names: Names) -> str:
    return f'{text}\n\nraise AssertionError("{names.make_word("canary")}")\n'


FAILING_COPIES = {".py": _fail_python}
