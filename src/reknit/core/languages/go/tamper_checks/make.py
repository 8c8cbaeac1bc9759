"""Makes the checks for Go tests: probes at the end of their files, and the second harness."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reknit.core.languages.go.reports import read_module_path
from reknit.core.languages.go.tamper_checks.harness import make_harness
from reknit.core.languages.go.tamper_checks.source import (
    GoFile,
    GoTarget,
    find_functions,
    find_parameter,
    is_test_function,
    parse_package,
)
from reknit.core.languages.go.tamper_checks.twins import make_twin_edits
from reknit.core.languages.programs import fill
from reknit.core.tamper_checks.checks import NO_TEXT, Names, Probe, TamperChecks, Targets, explain_missing
from reknit.core.tamper_checks.syntax import copy_function

_CANARIES = """
func Passing(REPORTER) {
	if got := len("Passing"); got != LENGTH {
		T.Fatalf("got %d", got)
	}
}

func Failing(REPORTER) {
	T.Fatal("Failing")
}
"""


@dataclass
class _Additions:
    texts: dict[str, str] = field(default_factory=dict)
    probes: list[Probe] = field(default_factory=list)


def make_probes(targets: Sequence[GoTarget], names: Names) -> tuple[tuple[Probe, ...], Mapping[str, str]]:
    """Return the probes and the changed files. Probes are at the end of the targets' files, to use their imports."""
    added = _Additions()
    for number, target in enumerate(targets):
        if target.file.path not in added.texts:
            added.texts[target.file.path] = target.file.text.rstrip("\n") + "\n"
            _add_canaries(added, target, names, number)
        _add_twins(added, target, names, number)
    return tuple(added.probes), added.texts


def _add_canaries(added: _Additions, target: GoTarget, names: Names, number: int) -> None:
    passing, failing = (f"Test{names.make_title(use)}{number}" for use in ("go passing", "go failing"))
    t, kind = find_parameter(target.function)
    added.texts[target.file.path] += fill(
        _CANARIES, Passing=passing, Failing=failing, REPORTER=f"{t} {kind}", T=t, LENGTH=str(len(passing))
    )
    added.probes.append(Probe(f"{target.folder}::{passing}", "pass", target.ids[0]))
    added.probes.append(Probe(f"{target.folder}::{failing}", "fail", target.ids[0]))


def _add_twins(added: _Additions, target: GoTarget, names: Names, number: int) -> None:
    for count, edits in enumerate(make_twin_edits(target.function)):
        twin = f"Test{names.make_title('go twin')}{number}x{count}"
        added.texts[target.file.path] += f"\n{copy_function(target.function, edits, twin)}\n"
        added.probes.append(Probe(f"{target.folder}::{twin}", "differ", target.ids[0]))


def make(targets: Targets, names: Names) -> TamperChecks:
    """Make the probes, and the second harness of the package with most targets."""
    ids = [test.id for test in targets.tests]
    folders = {test.partition("::")[0] for test in ids if "::" in test}
    packages = {folder: parse_package(folder, targets.files) for folder in sorted(folders)}
    go_targets = [target for folder, files in packages.items() for target in _find_targets(folder, files, ids)]
    if not go_targets:
        return NO_TEXT
    probes, probe_files = make_probes(go_targets, names)
    here = _choose_package(go_targets)
    module = read_module_path(targets.files.get("go.mod", ""))
    harness, why = make_harness(here, packages[here[0].folder], module, names)
    return TamperChecks(probes, probe_files, harness, explain_missing(probes, why))


def _find_targets(folder: str, files: Sequence[GoFile], ids: Sequence[str]) -> Iterator[GoTarget]:
    ids_by_function: dict[str, list[str]] = {}
    for test in ids:
        package, _, name = test.partition("::")
        if package == folder:
            ids_by_function.setdefault(name.partition("/")[0], []).append(test)
    for file in files:
        for name, node in find_functions(file):
            if file.is_test and name in ids_by_function and is_test_function(name, node):
                yield GoTarget(tuple(ids_by_function[name]), folder, name, file, node)


def _choose_package(targets: Sequence[GoTarget]) -> list[GoTarget]:
    """Return the targets of the package that has most of them."""
    folders: Mapping[str, list[GoTarget]] = {
        target.folder: [other for other in targets if other.folder == target.folder] for target in targets
    }
    return max(folders.values(), key=len)


_PACKAGE = re.compile(r"^package \w{1,100}", re.MULTILINE)


def _fail_go(text: str, names: Names) -> str:
    """Fail the test binary by a panic, which needs no import."""
    if not _PACKAGE.search(text):
        return text
    return f'{text}\nfunc init() {{ panic("{names.make_word("canary")}") }}\n'


FAILING_COPIES = {".go": _fail_go}
