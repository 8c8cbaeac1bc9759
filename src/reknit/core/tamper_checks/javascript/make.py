"""The checks for tests that `node --test`, vitest, jest or mocha ran."""

from reknit.core.check_answer import CheckName
from reknit.core.tamper_checks.checks import MadeChecks, Probe, Targets
from reknit.core.tamper_checks.javascript.harness import make_harness
from reknit.core.tamper_checks.javascript.probes import name_of, probe_files
from reknit.core.tamper_checks.names import Names

MOST_FILES = 5
"""Of targets that get probes."""
LONGEST_FILE = 200_000


def make(targets: Targets, names: Names) -> MadeChecks:
    probes: list[Probe] = []
    files: dict[str, str] = {}
    for file in sorted({test.file for test in targets.tests})[:MOST_FILES]:
        tests = [test for test in targets.tests if test.file == file and name_of(test) is not None]
        text = targets.files.get(file, "")
        if tests and len(text) <= LONGEST_FILE:
            made = probe_files(file, text, tests, targets.runner, names)
            if not {*made.files} & {*targets.tracked}:
                probes += made.probes
                files |= made.files
    harness, why = make_harness(targets, names)
    why_not: dict[CheckName, str] = {}
    if not any(probe.must != "differ" for probe in probes):
        why_not["canaries"] = "no test with a title of its own was found in the files of the targets"
    if not any(probe.must == "differ" for probe in probes):
        why_not["twins"] = "no target certainly compares a value with one that is written down"
    if not harness:
        why_not["second-harness"] = why
    return MadeChecks(tuple(probes), files, harness, why_not)
