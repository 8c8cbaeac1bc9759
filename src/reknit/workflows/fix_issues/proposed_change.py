"""A change of `fix issues` as the gate judges it."""

from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services
from reknit.workflows.shared.gate_check import ProposedChange
from reknit.workflows.shared.tests_check import known_tests

NO_BASELINE = "the test results before the change are no longer known"


def whole_change(
    services: Services, spec: RunSpec, after: str, unsafe: tuple[tuple[str, str], ...] = ()
) -> ProposedChange:
    """It may be as large as all batches together, also those that tools have made unnecessary."""
    target = spec.issues_target
    batches = max(len(target.batches), -(-len(target.issues) // target.limits.batch_issues))
    return ProposedChange(spec.base, after, unsafe, test_files(services, spec), batches=batches)


def test_files(services: Services, spec: RunSpec) -> tuple[str, ...]:
    before = known_tests(services, spec, spec.base)
    return before.test_files if before else ()
