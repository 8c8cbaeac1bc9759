"""The checks for Java tests under Maven and Gradle."""

from reknit.core.check_answer import CheckName
from reknit.core.tamper_checks.checks import MadeChecks, Targets
from reknit.core.tamper_checks.java.harness import make_harness
from reknit.core.tamper_checks.java.probes import make_probes
from reknit.core.tamper_checks.java.source import find_target
from reknit.core.tamper_checks.names import Names


def make(targets: Targets, names: Names) -> MadeChecks:
    found = [target for test in targets.tests if (target := find_target(test.id, targets.files))]
    if not found:
        why = "the text of none of the tests was found"
        return MadeChecks(why_not={"canaries": why, "twins": why, "second-harness": why})
    probes, probe_files = make_probes(found, names)
    harness, why = make_harness(found, targets, names)
    has_twins = any(probe.must == "differ" for probe in probes)
    reasons: dict[CheckName, str] = {
        "twins": "" if has_twins else "no value that a test expects is written in it",
        "second-harness": why,
    }
    return MadeChecks(probes, probe_files, harness, {name: why for name, why in reasons.items() if why})
