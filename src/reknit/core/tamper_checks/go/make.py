"""The checks for Go tests."""

from collections.abc import Iterator, Mapping, Sequence

from reknit.core.check_answer import CheckName
from reknit.core.tamper_checks.checks import MadeChecks, Targets
from reknit.core.tamper_checks.go.harness import make_harness
from reknit.core.tamper_checks.go.probes import GoTarget, make_probes
from reknit.core.tamper_checks.go.source import GoFile, files_of, functions, is_test_function
from reknit.core.tamper_checks.names import Names
from reknit.core.testing.formats.go import module_path


def make(targets: Targets, names: Names) -> MadeChecks:
    ids = [test.id for test in targets.tests]
    folders = {test.partition("::")[0] for test in ids if "::" in test}
    packages = {folder: files_of(folder, targets.files) for folder in sorted(folders)}
    found = [target for folder, files in packages.items() for target in _targets(folder, files, ids)]
    if not found:
        why = "the text of none of the tests was found"
        return MadeChecks(why_not={"canaries": why, "twins": why, "second-harness": why})
    probes, probe_files = make_probes(found, names)
    here = _largest(found)
    module = module_path(targets.files.get("go.mod", ""))
    harness, why = make_harness(here, packages[here[0].folder], module, names)
    has_twins = any(probe.must == "differ" for probe in probes)
    reasons: dict[CheckName, str] = {
        "twins": "" if has_twins else "no value that a test expects is written in it",
        "second-harness": why,
    }
    return MadeChecks(probes, probe_files, harness, {name: why for name, why in reasons.items() if why})


def _targets(folder: str, files: Sequence[GoFile], ids: Sequence[str]) -> Iterator[GoTarget]:
    wanted: dict[str, list[str]] = {}
    for test in ids:
        package, _, name = test.partition("::")
        if package == folder:
            wanted.setdefault(name.partition("/")[0], []).append(test)
    for file in files:
        for name, node in functions(file):
            if file.is_test and name in wanted and is_test_function(name, node):
                yield GoTarget(tuple(wanted[name]), folder, name, file, node)


def _largest(targets: Sequence[GoTarget]) -> list[GoTarget]:
    """Those of the package that has most of them."""
    folders: Mapping[str, list[GoTarget]] = {
        target.folder: [each for each in targets if each.folder == target.folder] for target in targets
    }
    return max(folders.values(), key=len)
