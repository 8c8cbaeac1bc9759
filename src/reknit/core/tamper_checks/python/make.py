"""The checks for tests that pytest, unittest or Django ran."""

from reknit.core.check_answer import CheckName
from reknit.core.tamper_checks.checks import MadeChecks, Probe, Targets
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.python.driver import make_harness
from reknit.core.tamper_checks.python.probes import probe_file

MOST_FILES = 10
"""Of targets that get a file of probes."""


def make(targets: Targets, names: Names) -> MadeChecks:
    probes: list[Probe] = []
    files: dict[str, str] = {}
    for file in sorted({test.file for test in targets.tests})[:MOST_FILES]:
        made = probe_file(
            file, targets.files.get(file, ""), [test for test in targets.tests if test.file == file], names
        )
        if made and made.path not in targets.tracked:
            files[made.path] = made.text
            probes += made.probes
    harness = make_harness(targets, names)
    why_not: dict[CheckName, str] = {}
    if not probes:
        why_not["canaries"] = "no target is a function or a method of its file"
    if not any(probe.must == "differ" for probe in probes):
        why_not["twins"] = "no target compares a value that is written down"
    if not harness:
        why_not["second-harness"] = "no target can be called without its runner"
    return MadeChecks(tuple(probes), files, harness, why_not)
